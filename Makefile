# Each target is all the set-up it needs.

# A software Vulkan driver wants a folder for its sockets.
export XDG_RUNTIME_DIR := $(or $(XDG_RUNTIME_DIR),$(or $(TMPDIR),/tmp))
# Node.js, if tools/setup/tint.sh had to install one.
export PATH := $(CURDIR)/.tools/node_modules/.bin:$(PATH)

.PHONY: help demo test generate bench soak vulkan tint

help:
	@echo "make demo [IN=picture]  blur, edges and histogram of a picture, on the GPU and on the CPU"
	@echo "make test               all tests; lists those that cannot run here"
	@echo "make bench              benchmarks against peers"
	@echo "make generate           generate all kernels anew"
	@echo "make soak               the long stress test of the runtime: under the race detector, then for its memory"

# The main job: kernels that exist once, run on two devices that agree.
demo: vulkan
	@go run ./examples/image $(if $(IN),-in "$(IN)") -out demo-out

test: vulkan tint
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "these files are not formatted: gofmt -w ."; exit 1; }
	go vet ./...
	CGO_ENABLED=0 go build ./...
	@go test -json -timeout 20m ./... | go run ./tools/notrun
	go test -race -short -timeout 10m ./cpu/... ./dsl/... ./runtime
	@bash tools/setup/simd.sh go test -json -timeout 10m ./cpu ./gen ./gen/train ./codegen/gocpu/internal/suite/gen ./conformance/gen ./conformance/language/gen | go run ./tools/notrun
	@bash tools/setup/simd.sh go test -json -timeout 10m -run 'TestGood|TestMutants|TestUnreadStores|TestBuiltins|TestFaultLines' ./codegen ./conformance | go run ./tools/notrun

generate:
	go generate ./...

bench: vulkan
	go run ./tools/tandem bench

soak: vulkan
	TANDEM_SOAK=1 go test -race -run Soak -timeout 60m -v ./runtime
	TANDEM_SOAK=1 go test -run Soak -timeout 60m -v ./runtime

vulkan:
	@bash tools/setup/vulkan.sh

tint:
	@bash tools/setup/tint.sh
