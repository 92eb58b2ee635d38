package wgsl

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// names gives out the names of the shader. It holds the scopes that are open,
// the module's first; a name is given out once among them, so that nothing in
// the shader shadows anything else.
type names struct {
	scopes []map[string]bool
	given  map[string]bool // every name, its scope open or not
	avoid  map[string]bool // builtin functions that the shader calls
}

func newNames(avoid map[string]bool) *names {
	return &names{scopes: []map[string]bool{{}}, given: map[string]bool{}, avoid: avoid}
}

func (n *names) push() { n.scopes = append(n.scopes, map[string]bool{}) }
func (n *names) pop()  { n.scopes = n.scopes[:len(n.scopes)-1] }

// pick returns a name for something that Go calls want, and takes it in the
// innermost scope: want itself if WGSL has it, else a name like it.
func (n *names) pick(want string) string {
	return n.pickIn(len(n.scopes)-1, want)
}

// pickModule takes a name in the module's scope.
func (n *names) pickModule(want string) string { return n.pickIn(0, want) }

// pickFunction takes a name for a function of the author's. It is none that
// WGSL predeclares: gogpu/naga takes a call of it for a call of WGSL's.
func (n *names) pickFunction(want string) string {
	if predeclared[identifier(want)] {
		want += "_1"
	}
	return n.pickModule(want)
}

func (n *names) pickIn(scope int, want string) string {
	base := identifier(want)
	name := base
	for i := 1; n.taken(name); i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	n.scopes[scope][name], n.given[name] = true, true
	return name
}

func (n *names) taken(name string) bool {
	if reserved[name] || n.avoid[name] {
		return true
	}
	for _, s := range n.scopes {
		if s[name] {
			return true
		}
	}
	return false
}

// gave reports whether any of words was given out.
func (n *names) gave(words map[string]bool) bool {
	for w := range words {
		if n.given[w] {
			return true
		}
	}
	return false
}

// identifier returns name spelt in ASCII letters, digits and single underscores,
// as near to it as can be: accents go, Greek letters are named, others numbered.
func identifier(name string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(name) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'):
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		case greek[unicode.ToLower(r)] != "":
			b.WriteString(greekName(r))
		default:
			fmt.Fprintf(&b, "u%04x", r)
		}
	}
	s := b.String()
	for strings.HasPrefix(s, "__") {
		s = s[1:]
	}
	switch {
	case s == "" || s == "_":
		return "blank"
	case unicode.IsDigit(rune(s[0])):
		return "n" + s
	}
	return s
}

var greek = map[rune]string{
	'α': "alpha", 'β': "beta", 'γ': "gamma", 'δ': "delta", 'ε': "epsilon", 'ζ': "zeta", 'η': "eta", 'θ': "theta",
	'ι': "iota", 'κ': "kappa", 'λ': "lambda", 'μ': "mu", 'ν': "nu", 'ξ': "xi", 'ο': "omicron", 'π': "pi",
	'ρ': "rho", 'σ': "sigma", 'ς': "sigma", 'τ': "tau", 'υ': "upsilon", 'φ': "phi", 'χ': "chi", 'ψ': "psi", 'ω': "omega",
	'ϵ': "epsilon", 'µ': "mu",
}

func greekName(r rune) string {
	name := greek[unicode.ToLower(r)]
	if unicode.IsUpper(r) {
		return strings.ToUpper(name[:1]) + name[1:]
	}
	return name
}

// reserved are the words that name nothing of ours: keywords, reserved words,
// those that wgpu's front end reserves beyond the specification, and the types and
// enumerants that the shader's own text depends on.
var reserved = words(`
alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let
loop override requires return struct switch true var while

NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become binding_array cast
catch class co_await co_return co_yield coherent column_major common compile compile_fragment concept const_cast
consteval constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit
export extends extern external fallthrough filter final finally friend from fxgroup get goto groupshared highp impl
implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut
mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of
operator package packoffset partial pass patch pixelfragment precise precision premerge priv protected pub public
readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm
static static_assert static_cast std subroutine super target template this thread_local throw trait try type typedef
typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly
yield

CompileShader ComputeShader DomainShader GeometryShader Hullshader inout signed

bool i32 u32 f32 f16 i64 u64 f64 bitcast array atomic ptr sampler sampler_comparison
vec2 vec3 vec4 vec2f vec3f vec4f vec2i vec3i vec4i vec2u vec3u vec4u vec2h vec3h vec4h
mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4
mat2x2f mat2x3f mat2x4f mat3x2f mat3x3f mat3x4f mat4x2f mat4x3f mat4x4f
mat2x2h mat2x3h mat2x4h mat3x2h mat3x3h mat3x4h mat4x2h mat4x3h mat4x4h
texture_1d texture_2d texture_2d_array texture_3d texture_cube texture_cube_array texture_multisampled_2d
texture_depth_2d texture_depth_2d_array texture_depth_cube texture_depth_cube_array texture_depth_multisampled_2d
texture_external texture_storage_1d texture_storage_2d texture_storage_2d_array texture_storage_3d
function private workgroup uniform storage handle push_constant read write read_write
`)

// predeclared are the functions of WGSL.
var predeclared = words(`
abs acos acosh all any arrayLength asin asinh atan atan2 atanh ceil clamp cos cosh countLeadingZeros countOneBits
countTrailingZeros cross degrees determinant distance dot dot4I8Packed dot4U8Packed dpdx dpdy exp exp2 extractBits
faceForward firstLeadingBit firstTrailingBit floor fma fract frexp fwidth insertBits inverseSqrt ldexp length log log2
max min mix modf normalize pack2x16float pack2x16snorm pack2x16unorm pack4x8snorm pack4x8unorm pack4xI8 pack4xU8
pow quantizeToF16 radians reflect refract reverseBits round saturate select sign sin sinh smoothstep sqrt step
storageBarrier tan tanh transpose trunc unpack2x16float unpack2x16snorm unpack2x16unorm unpack4x8snorm
unpack4x8unorm unpack4xI8 unpack4xU8 workgroupBarrier workgroupUniformLoad
atomicAdd atomicAnd atomicCompareExchangeWeak atomicExchange atomicLoad atomicMax atomicMin atomicOr atomicStore
atomicSub atomicXor
`)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// Reserved reports whether nothing in a shader may be called name: it is a
// keyword or reserved word of WGSL, or a type that generated text depends on.
func Reserved(name string) bool { return reserved[name] }
