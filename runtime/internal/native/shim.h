// What the driver asks of wgpu's C library directly. The Go binding brings the
// library; its calls are used where they are sound, and these where they are not
// (see doc.go) or where one C call replaces thousands.
#include <stddef.h>
#include <stdint.h>

typedef void *handle;

// shim_quiet keeps Vulkan drivers from complaining (see doc.go).
void shim_quiet(void);

// device_state is what callbacks write. It outlives the device: the library may
// call back when the device is already released. The fields are written with
// atomic stores.
typedef struct {
	int lost;
	int failed;   // kind of the first error of the calls between begin and end
	int stray;    // an error came outside any error scope
	char message[4096];
} device_state;

// Kinds of error, as the library numbers them.
enum { error_none = 0, error_validation = 1, error_memory = 2, error_lost = 5 };

// limits is what shim_open asks for. Anything not named stays at its default.
typedef struct {
	uint64_t buffer_bytes, binding_bytes;
	uint32_t storage_align, uniform_align;
	uint32_t groups, invocations, size_x, size_y, size_z;
	uint32_t workgroup_bytes, buffers;
	int timestamps;
} shim_limits;

// shim_instance makes an instance with the given back ends.
handle shim_instance(uint32_t backends);

// shim_open opens a device of adapter, or returns NULL and a message in state.
handle shim_open(handle adapter, const shim_limits *limits, device_state *state);

// shim_begin and shim_end enclose calls that may fail. shim_end returns the kind
// of the first error, whose text is then in state->message.
void shim_begin(handle device, device_state *state);
int shim_end(handle device, device_state *state);

// The lists that a submit works through. They lie in Go memory, so handles in
// them are numbers: Go does not look for pointers there.
typedef struct {
	uintptr_t pipeline, group;
	uintptr_t indirect; // 0: x, y, z
	uint64_t indirect_at;
	uint32_t x, y, z;
	uint32_t offset;  // of the uniform block
	uint32_t dynamic; // 1 if there is one
} shim_launch;

typedef struct {
	uintptr_t buffer;
	uint64_t offset, size;
} shim_clear;

typedef struct {
	uintptr_t src, dst;
	uint64_t from, to, size;
} shim_copy;

// shim_queries says where timestamps go: before and after all launches, or, if
// each is 1, before and after each launch, which then has a pass of its own.
typedef struct {
	handle set, resolve;
	int each;
} shim_queries;

// shim_submit encodes and submits clears, then launches in one pass, then copies.
// queries may be NULL. It returns the kind of error, 0 if all went well; nothing
// is submitted if encoding failed.
int shim_submit(handle device, handle queue, device_state *state,
	const shim_clear *clears, uint32_t clear_count,
	const shim_launch *launches, uint32_t launch_count,
	const shim_copy *copies, uint32_t copy_count,
	const shim_queries *queries);

// shim_write writes data to buffer, and shim_flush submits nothing, which sends
// what was written.
int shim_write(handle device, handle queue, device_state *state, handle buffer, uint64_t offset, const void *data, size_t size);
void shim_flush(handle queue);

// map_state is where the result of mapping a buffer appears. It belongs to the
// buffer, and is freed once nothing is pending.
typedef struct {
	int pending;
	int status;
} map_state;

// shim_map begins to map a staging buffer.
int shim_map(handle device, device_state *state, handle buffer, size_t size, map_state *map);

// shim_poll lets the library make progress, and returns whether the mapping is
// still pending.
int shim_poll(handle device, map_state *map);

// shim_pause sleeps for less than a second.
void shim_pause(long nanoseconds);

const void *shim_mapped(handle buffer, size_t size);
void shim_unmap(handle buffer);

handle shim_queue(handle device);
int shim_is_lost(device_state *state);
void shim_lose(device_state *state); // as if the library had called back
