// Turns the grid of an indirect launch, in the kernel's own unit, into what is
// dispatched, and completes the kernel's uniform block.

struct Params {
  size_x: u32,
  size_y: u32,
  size_z: u32,
  dims: u32,
  limit: u32,
  threads: u32,
  slot: u32,
  groups: u32,
  place_x: u32,
  place_y: u32,
  place_z: u32,
  pad: u32,
  most_x: u32,
  most_y: u32,
  most_z: u32,
  pad_most: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> grid_of: array<u32>;
@group(0) @binding(2) var<storage, read_write> dispatch: array<u32>;
@group(0) @binding(3) var<storage, read_write> block: array<u32>;

fn groups_along(n: u32, size: u32) -> u32 {
  return n / size + min(n % size, 1u);
}

@compute @workgroup_size(1)
fn grid() {
  var n = vec3<u32>(1u, 1u, 1u);
  n.x = min(grid_of[0], params.most_x);
  if (params.dims > 1u) {
    n.y = min(grid_of[1], params.most_y);
  }
  if (params.dims > 2u) {
    n.z = min(grid_of[2], params.most_z);
  }
  let groups = vec3<u32>(
    groups_along(n.x, params.size_x),
    groups_along(n.y, params.size_y),
    groups_along(n.z, params.size_z),
  );
  var dispatched = groups;
  if (params.dims == 1u) {
    dispatched = vec3<u32>(min(groups.x, 65535u), groups_along(groups.x, 65535u), 1u);
  }
  if (max(max(dispatched.x, dispatched.y), dispatched.z) > params.limit) {
    dispatched = vec3<u32>(0u, 0u, 0u);
  }
  dispatch[params.slot] = dispatched.x;
  dispatch[params.slot + 1u] = dispatched.y;
  dispatch[params.slot + 2u] = dispatched.z;
  dispatch[params.slot + 3u] = groups.x;
  dispatch[params.slot + 4u] = n.x * params.threads;
  dispatch[params.slot + 5u] = n.y * params.threads;
  dispatch[params.slot + 6u] = n.z * params.threads;
  if (params.place_x != 0u) {
    block[params.place_x - 1u] = n.x;
  }
  if (params.place_y != 0u) {
    block[params.place_y - 1u] = n.y;
  }
  if (params.place_z != 0u) {
    block[params.place_z - 1u] = n.z;
  }
  if (params.groups != 0u) {
    block[params.groups - 1u] = groups.x;
  }
}
