//go:build cgo && !js

#include "shim.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Where XDG_RUNTIME_DIR is not set, the part of a Vulkan driver that looks for
// windows prints an error each time. There is no window to find: a folder that
// does not exist says so silently, and, unlike /tmp, nobody else can make it.
void shim_quiet(void) {
#ifdef __linux__
	setenv("XDG_RUNTIME_DIR", "/nonexistent", 0);
#endif
}

// The library's functions that are used here, and the structs that they take.
// native_test.go pins the layouts that the binding shares.

typedef struct chain {
	const struct chain *next;
	uint32_t type;
} chain;

typedef struct {
	uint32_t texture_1d, texture_2d, texture_3d, texture_layers;
	uint32_t bind_groups, bind_groups_and_vertex_buffers, bindings;
	uint32_t dynamic_uniforms, dynamic_storages;
	uint32_t sampled_textures, samplers, storage_buffers, storage_textures, uniform_buffers;
	uint64_t uniform_bytes, storage_bytes;
	uint32_t uniform_align, storage_align;
	uint32_t vertex_buffers;
	uint64_t buffer_bytes;
	uint32_t vertex_attributes, vertex_stride, stage_components, stage_variables;
	uint32_t color_attachments, color_bytes;
	uint32_t workgroup_bytes, invocations, size_x, size_y, size_z, groups;
} native_limits;

typedef struct {
	const chain *next;
	native_limits limits;
} required_limits;

typedef struct {
	const chain *next;
	const char *label;
	size_t feature_count;
	const uint32_t *features;
	const required_limits *limits;
	struct {
		const chain *next;
		const char *label;
	} queue;
	void (*lost)(int reason, const char *message, void *state);
	void *lost_state;
	struct {
		const chain *next;
		void (*callback)(int kind, const char *message, void *state);
		void *state;
	} uncaptured;
} device_descriptor;

typedef struct {
	chain chain;
	uint32_t backends, flags;
	uint32_t dx12_compiler, gles_version;
	const char *dxil, *dxc;
} instance_extras;

typedef struct {
	const chain *next;
} instance_descriptor;

enum { instance_extras_type = 0x00030006, timestamp_query = 3 };

extern handle wgpuCreateInstance(const instance_descriptor *);
extern void wgpuAdapterRequestDevice(handle, const device_descriptor *, void (*)(int, handle, const char *, void *), void *);
extern handle wgpuDeviceGetQueue(handle);
extern void wgpuDevicePushErrorScope(handle, int filter);
extern void wgpuDevicePopErrorScope(handle, void (*)(int, const char *, void *), void *);
extern handle wgpuDeviceCreateCommandEncoder(handle, const void *);
extern uint32_t wgpuDevicePoll(handle, uint32_t wait, const void *);
extern uint64_t wgpuQueueSubmitForIndex(handle, size_t, const handle *);
extern void wgpuQueueWriteBuffer(handle, handle, uint64_t, const void *, size_t);
extern void wgpuCommandEncoderClearBuffer(handle, handle, uint64_t, uint64_t);
extern void wgpuCommandEncoderCopyBufferToBuffer(handle, handle, uint64_t, handle, uint64_t, uint64_t);
extern void wgpuCommandEncoderWriteTimestamp(handle, handle, uint32_t);
extern void wgpuCommandEncoderResolveQuerySet(handle, handle, uint32_t, uint32_t, handle, uint64_t);
extern handle wgpuCommandEncoderBeginComputePass(handle, const void *);
extern handle wgpuCommandEncoderFinish(handle, const void *);
extern void wgpuCommandEncoderRelease(handle);
extern void wgpuCommandBufferRelease(handle);
extern void wgpuComputePassEncoderSetPipeline(handle, handle);
extern void wgpuComputePassEncoderSetBindGroup(handle, uint32_t, handle, size_t, const uint32_t *);
extern void wgpuComputePassEncoderDispatchWorkgroups(handle, uint32_t, uint32_t, uint32_t);
extern void wgpuComputePassEncoderDispatchWorkgroupsIndirect(handle, handle, uint64_t);
extern void wgpuComputePassEncoderEnd(handle);
extern void wgpuComputePassEncoderRelease(handle);
extern void wgpuBufferMapAsync(handle, uint32_t mode, size_t, size_t, void (*)(int, void *), void *);
extern const void *wgpuBufferGetConstMappedRange(handle, size_t, size_t);
extern void wgpuBufferUnmap(handle);

static void set(int *to, int value) { __atomic_store_n(to, value, __ATOMIC_RELEASE); }
static int get(int *from) { return __atomic_load_n(from, __ATOMIC_ACQUIRE); }

handle shim_instance(uint32_t backends) {
	instance_extras extras;
	memset(&extras, 0, sizeof extras);
	extras.chain.type = instance_extras_type;
	extras.backends = backends;
	instance_descriptor descriptor = {&extras.chain};
	return wgpuCreateInstance(&descriptor);
}

static void keep(device_state *state, const char *message) {
	strncpy(state->message, message ? message : "no reason given", sizeof state->message - 1);
}

static void on_lost(int reason, const char *message, void *state) {
	(void)reason;
	(void)message;
	set(&((device_state *)state)->lost, 1);
}

static void on_stray(int kind, const char *message, void *data) {
	(void)kind;
	(void)message;
	set(&((device_state *)data)->stray, 1);
}

static void on_error(int kind, const char *message, void *data) {
	device_state *state = data;
	if (kind == error_none || state->failed) {
		return;
	}
	state->failed = kind;
	keep(state, message);
}

typedef struct {
	handle device;
	device_state *state;
} opening;

static void on_device(int status, handle device, const char *message, void *data) {
	opening *o = data;
	if (status == 0) {
		o->device = device;
	} else {
		keep(o->state, message);
	}
}

handle shim_open(handle adapter, const shim_limits *want, device_state *state) {
	required_limits required;
	memset(&required.limits, 0xff, sizeof required.limits); // all undefined: defaults
	required.next = NULL;
	native_limits *l = &required.limits;
	l->buffer_bytes = want->buffer_bytes;
	l->storage_bytes = want->binding_bytes;
	l->storage_align = want->storage_align;
	l->uniform_align = want->uniform_align;
	l->groups = want->groups;
	l->invocations = want->invocations;
	l->size_x = want->size_x;
	l->size_y = want->size_y;
	l->size_z = want->size_z;
	l->workgroup_bytes = want->workgroup_bytes;
	l->storage_buffers = want->buffers;

	uint32_t feature = timestamp_query;
	device_descriptor descriptor;
	memset(&descriptor, 0, sizeof descriptor);
	descriptor.limits = &required;
	descriptor.features = &feature;
	descriptor.feature_count = want->timestamps ? 1 : 0;
	descriptor.lost = on_lost;
	descriptor.lost_state = state;
	descriptor.uncaptured.callback = on_stray;
	descriptor.uncaptured.state = state;

	opening o = {NULL, state};
	wgpuAdapterRequestDevice(adapter, &descriptor, on_device, &o);
	return o.device;
}

handle shim_queue(handle device) { return wgpuDeviceGetQueue(device); }

void shim_lose(device_state *state) { on_lost(0, "", state); }

int shim_is_lost(device_state *state) { return get(&state->lost); }

void shim_begin(handle device, device_state *state) {
	state->failed = 0;
	wgpuDevicePushErrorScope(device, 1); // out of memory
	wgpuDevicePushErrorScope(device, 0); // validation
}

int shim_end(handle device, device_state *state) {
	wgpuDevicePopErrorScope(device, on_error, state);
	wgpuDevicePopErrorScope(device, on_error, state);
	if (get(&state->lost)) {
		state->failed = error_lost;
	}
	return state->failed;
}

static void encode_pass(handle encoder, const shim_launch *launches, uint32_t count) {
	handle pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
	uintptr_t pipeline = 0;
	for (uint32_t i = 0; i < count; i++) {
		const shim_launch *l = &launches[i];
		if (l->pipeline != pipeline) {
			pipeline = l->pipeline;
			wgpuComputePassEncoderSetPipeline(pass, (handle)pipeline);
		}
		wgpuComputePassEncoderSetBindGroup(pass, 0, (handle)l->group, l->dynamic, &l->offset);
		if (l->indirect) {
			wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, (handle)l->indirect, l->indirect_at);
		} else {
			wgpuComputePassEncoderDispatchWorkgroups(pass, l->x, l->y, l->z);
		}
	}
	wgpuComputePassEncoderEnd(pass);
	wgpuComputePassEncoderRelease(pass);
}

static void encode_timed(handle encoder, const shim_launch *launches, uint32_t count, const shim_queries *q) {
	uint32_t passes = q->each ? count : 1, length = q->each ? 1 : count;
	for (uint32_t i = 0; i < passes; i++) {
		wgpuCommandEncoderWriteTimestamp(encoder, q->set, 2 * i);
		encode_pass(encoder, launches + i, length);
		wgpuCommandEncoderWriteTimestamp(encoder, q->set, 2 * i + 1);
	}
	wgpuCommandEncoderResolveQuerySet(encoder, q->set, 0, 2 * passes, q->resolve, 0);
}

int shim_submit(handle device, handle queue, device_state *state,
	const shim_clear *clears, uint32_t clear_count,
	const shim_launch *launches, uint32_t launch_count,
	const shim_copy *copies, uint32_t copy_count,
	const shim_queries *queries) {
	shim_begin(device, state);
	handle encoder = wgpuDeviceCreateCommandEncoder(device, NULL);
	for (uint32_t i = 0; i < clear_count; i++) {
		wgpuCommandEncoderClearBuffer(encoder, (handle)clears[i].buffer, clears[i].offset, clears[i].size);
	}
	if (queries) {
		encode_timed(encoder, launches, launch_count, queries);
	} else if (launch_count) {
		encode_pass(encoder, launches, launch_count);
	}
	for (uint32_t i = 0; i < copy_count; i++) {
		const shim_copy *c = &copies[i];
		wgpuCommandEncoderCopyBufferToBuffer(encoder, (handle)c->src, c->from, (handle)c->dst, c->to, c->size);
	}
	handle commands = wgpuCommandEncoderFinish(encoder, NULL);
	wgpuCommandEncoderRelease(encoder);
	int failed = shim_end(device, state);
	if (!failed) { // submitting what failed to encode ends the process
		wgpuQueueSubmitForIndex(queue, 1, &commands);
	}
	wgpuCommandBufferRelease(commands);
	return failed;
}

int shim_write(handle device, handle queue, device_state *state, handle buffer, uint64_t offset, const void *data, size_t size) {
	shim_begin(device, state);
	wgpuQueueWriteBuffer(queue, buffer, offset, data, size);
	return shim_end(device, state);
}

void shim_flush(handle queue) { wgpuQueueSubmitForIndex(queue, 0, NULL); }

static void on_mapped(int status, void *data) {
	map_state *map = data;
	map->status = status;
	set(&map->pending, 0);
}

int shim_map(handle device, device_state *state, handle buffer, size_t size, map_state *map) {
	map->pending = 1;
	map->status = -1;
	shim_begin(device, state);
	wgpuBufferMapAsync(buffer, 1, 0, size, on_mapped, map);
	return shim_end(device, state);
}

int shim_poll(handle device, map_state *map) {
	wgpuDevicePoll(device, 0, NULL);
	return map ? get(&map->pending) : 0;
}

void shim_pause(long nanoseconds) {
	struct timespec t = {0, nanoseconds};
	nanosleep(&t, NULL);
}

const void *shim_mapped(handle buffer, size_t size) { return wgpuBufferGetConstMappedRange(buffer, 0, size); }

void shim_unmap(handle buffer) { wgpuBufferUnmap(buffer); }
