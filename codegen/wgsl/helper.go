package wgsl

import (
	"strings"

	"tandem/codegen/ir"
)

// addHelper returns the name of the helper function that is known by want; at
// its first use write writes it.
func (e *emitter) addHelper(want string, write func(name string, l *lines)) string {
	return e.addHelperFor("", want, write)
}

// addHelperFor is addHelper for a function that belongs to something of which
// there may be several by that name.
func (e *emitter) addHelperFor(owner, want string, write func(name string, l *lines)) string {
	key := owner + " " + want
	if name, ok := e.helper[key]; ok {
		return name
	}
	name := e.names.pickModule(want)
	e.helper[key] = name
	var l lines
	write(name, &l)
	e.section(&e.helpers, l.list)
	return name
}

// library returns the name of a function of the table below.
func (e *emitter) library(key string) string {
	f := library[key]
	return e.addHelper(key, func(name string, l *lines) {
		for _, c := range f.calls {
			e.called[c] = true
		}
		text := f.text
		for _, u := range f.uses {
			text = strings.ReplaceAll(text, "$"+u, e.library(u))
		}
		text = strings.ReplaceAll(text, "$name", name)
		for _, s := range strings.Split(strings.TrimSpace(text), "\n") {
			l.add("%s", s)
		}
	})
}

// each returns the name of the function that applies a function of the library
// to the components of vectors of type t.
func (e *emitter) each(key string, t, result *ir.Type, args int) string {
	scalar := e.library(key)
	names := []string{"x", "y", "z"}[:args]
	return e.addHelper(key+"_"+e.word(t), func(name string, l *lines) {
		var params, parts []string
		for _, n := range names {
			params = append(params, n+": "+e.typ(t))
		}
		for i := range t.Len {
			var at []string
			for _, n := range names {
				at = append(at, n+"."+"xyzw"[i:i+1])
			}
			parts = append(parts, scalar+"("+strings.Join(at, ", ")+")")
		}
		l.block("fn "+name+"("+strings.Join(params, ", ")+") -> "+e.typ(result), func() {
			l.add("return %s(%s);", e.typ(result), strings.Join(parts, ", "))
		})
	})
}

// builtin calls a function that WGSL predeclares.
func (e *emitter) builtin(name string, args ...exp) exp {
	e.called[name] = true
	return call(name, args...)
}

type function struct {
	uses  []string // other functions of the library
	calls []string // predeclared functions
	text  string
}

// library are the functions that give Go's meaning where an operator or builtin
// of WGSL does not, on every driver. A driver may divide wrongly by 0 or by -1,
// shift by the count's low bits or not, convert what is out of range to anything.
var library = map[string]function{
	"div_i32": {calls: []string{"select"}, text: `
// $name is Go's x / y; the smallest integer by -1 wraps.
fn $name(x: i32, y: i32) -> i32 {
  return x / select(y, 1i, y == 0i || (y == -1i && x == -2147483647i - 1i));
}`},
	"rem_i32": {uses: []string{"div_i32"}, text: `
// $name is Go's x % y: it has the sign of x.
fn $name(x: i32, y: i32) -> i32 {
  return x - y * $div_i32(x, y);
}`},
	"div_f32": {text: `
// $name is Go's x / y, where a driver may know that y is 0 and take the result for nothing.
fn $name(x: f32, y: f32) -> f32 {
  if (y != 0.0f) {
    return x / y;
  }
  let size = bitcast<u32>(x) & 0x7fffffffu;
  if (size == 0u || size > 0x7f800000u) {
    return bitcast<f32>(0x7fc00000u | size);
  }
  return bitcast<f32>(0x7f800000u | ((bitcast<u32>(x) ^ bitcast<u32>(y)) & 0x80000000u));
}`},
	"shl_u32": {calls: []string{"select"}, text: `
// $name is Go's x << n: 0 from 32 on.
fn $name(x: u32, n: u32) -> u32 {
  return select(x << (n & 31u), 0u, n > 31u);
}`},
	"shl_i32": {calls: []string{"select"}, text: `
// $name is Go's x << n: 0 from 32 on.
fn $name(x: i32, n: u32) -> i32 {
  return select(x << (n & 31u), 0i, n > 31u);
}`},
	"shr_u32": {calls: []string{"select"}, text: `
// $name is Go's x >> n: 0 from 32 on.
fn $name(x: u32, n: u32) -> u32 {
  return select(x >> (n & 31u), 0u, n > 31u);
}`},
	"shr_i32": {calls: []string{"min"}, text: `
// $name is Go's x >> n: the sign from 32 on.
fn $name(x: i32, n: u32) -> i32 {
  return x >> min(n, 31u);
}`},
	"to_i32": {uses: []string{"is_nan"}, calls: []string{"clamp", "select"}, text: `
// $name is x without its fraction, the nearer end beyond i32, 0 for NaN.
fn $name(x: f32) -> i32 {
  let inside = i32(clamp(x, -2147483648.0f, 2147483520.0f));
  return select(select(inside, 2147483647i, x >= 2147483648.0f), 0i, $is_nan(x));
}`},
	"to_u32": {uses: []string{"is_nan"}, calls: []string{"clamp", "select"}, text: `
// $name is x without its fraction, the nearer end beyond u32, 0 for NaN.
fn $name(x: f32) -> u32 {
  let inside = u32(clamp(x, 0.0f, 4294967040.0f));
  return select(select(inside, 4294967295u, x >= 4294967296.0f), 0u, $is_nan(x));
}`},
	"is_nan": {text: `
fn $name(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}`},
	"is_inf": {text: `
fn $name(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u;
}`},
	"float_of_bits": {text: `
// $name is the float with the bits x. A constant that is none may not be written as one.
fn $name(x: u32) -> f32 {
  return bitcast<f32>(x);
}`},
	"hide": {text: `
// $name is x. What a front end would work out at once, and refuse, it leaves to the device.
fn $name(x: f32) -> f32 {
  return x;
}`},
	"rotate_left_u32": {text: `
fn $name(x: u32, n: u32) -> u32 {
  return (x << (n & 31u)) | (x >> ((32u - (n & 31u)) & 31u));
}`},
	"rotate_left_i32": {text: `
fn $name(x: i32, n: u32) -> i32 {
  let bits = bitcast<u32>(x);
  return bitcast<i32>((bits << (n & 31u)) | (bits >> ((32u - (n & 31u)) & 31u)));
}`},
	"dot4_i8": {calls: []string{"extractBits"}, text: `
// $name is the dot product of the four signed bytes of x and y.
fn $name(x: u32, y: u32) -> i32 {
  let a = bitcast<i32>(x);
  let b = bitcast<i32>(y);
  return extractBits(a, 0u, 8u) * extractBits(b, 0u, 8u) + extractBits(a, 8u, 8u) * extractBits(b, 8u, 8u)
    + extractBits(a, 16u, 8u) * extractBits(b, 16u, 8u) + extractBits(a, 24u, 8u) * extractBits(b, 24u, 8u);
}`},
	"dot4_u8": {text: `
// $name is the dot product of the four bytes of x and y.
fn $name(x: u32, y: u32) -> u32 {
  return (x & 0xffu) * (y & 0xffu) + ((x >> 8u) & 0xffu) * ((y >> 8u) & 0xffu)
    + ((x >> 16u) & 0xffu) * ((y >> 16u) & 0xffu) + (x >> 24u) * (y >> 24u);
}`},
}
