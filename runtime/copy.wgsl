// Copies bytes between buffers, a word of the destination to an invocation.

struct Params {
  start: u32,
  to: u32,
  bytes: u32,
  groups_x: u32,
}

const fold = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read_write> destination: array<u32>;

@compute @workgroup_size(256)
fn copy(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let group_x = group.x + fold * group.y;
  if (fold != 0u && group_x >= params.groups_x) {
    return;
  }
  let word = params.to / 4u + group_x * 256u + local.x;
  let end = params.to + params.bytes;
  if (word * 4u >= end) {
    return;
  }
  if (params.start % 4u == params.to % 4u && word * 4u >= params.to && word * 4u + 4u <= end) {
    destination[word] = source[word - params.to / 4u + params.start / 4u];
    return;
  }
  var value = destination[word];
  for (var i = 0u; i < 4u; i++) {
    let at = word * 4u + i;
    if (at >= params.to && at < end) {
      let place = at - params.to + params.start;
      let byte = (source[place / 4u] >> (place % 4u * 8u)) & 0xffu;
      value = (value & ~(0xffu << (i * 8u))) | (byte << (i * 8u));
    }
  }
  destination[word] = value;
}
