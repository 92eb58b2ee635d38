// y += a * x, written by hand: what the launches of baseline/saxpy.go run.
struct Params { a: f32, n: u32, b: u32, c: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) global: vec3<u32>) {
  if (global.x < params.n) {
    y[global.x] += params.a * x[global.x];
  }
}
