// A copy written by hand, 16 bytes an invocation: the bandwidth that others are held against.
const fold = 0u;
struct Params { threads_x: u32, groups_x: u32, a: u32, b: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<f32>>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let i = (group.x + fold * group.y) * 256u + local.x;
  if (i < params.threads_x) {
    y[i] = x[i];
  }
}
