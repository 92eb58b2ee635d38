// Package random has kernels that a program made up, to compare what they do
// with what their ir does.
package random

import "tandem/dsl"

type two2 struct {
	u, v uint32
	w    [2]uint32
}

func (s *two2) add(n uint32) uint32 { s.u += n; s.w[s.u&1]++; return s.u }
func (s two2) sum() uint32          { s.u += s.v; return s.u + s.w[0] + s.w[1]*2 }

func make2(n uint32) two2 { return two2{n, n + 1, [2]uint32{n & 3, 2}} }

func inc(p *uint32) uint32 { *p++; return *p }

func get(x []uint32, i uint32) uint32 { return x[i%uint32(len(x))] }

func put(x []uint32, i, v uint32) uint32 {
	i %= dsl.Len(x)
	x[i], v = v, x[i]
	return v
}

func pick(c bool, a, b uint32) uint32 {
	if c {
		return a
	}
	return b
}

func two(a uint32) (q, r uint32) {
	q = a / 3
	if a > 5 {
		return r, q
	}
	r = a % 3
	return
}

func first(a, b uint32) uint32 { return a*2 + b }

func fold(x []uint32, a uint32, f func(p, q uint32) uint32) uint32 {
	for _, v := range x {
		a = f(a, v)
	}
	return a
}

func find(x []uint32, v uint32) uint32 {
	for i := range x {
		if x[i] == v {
			return uint32(i)
		}
	}
	return dsl.Len(x)
}

func early(x []uint32, v uint32) (r uint32) {
	for i := range x {
		switch {
		case x[i] > v:
			x[i]--
			return r + 1
		case x[i] == 3:
			continue
		}
		r += x[i]
	}
	if r > 4 {
		v++
		return v
	}
	r += v
	return
}

func total(x [4]uint32) (t uint32) {
	for i, v := range x {
		x[3-i] = 0
		t += v
	}
	return t + x[0]
}

func scale(x []uint32, n uint32) {
	if n == 0 {
		return
	}
	for i := range x {
		x[i] *= n
	}
}

// Kernels are the kernels by name.
var Kernels = map[string]any{
	"K0":  K0,
	"K2":  K2,
	"K4":  K4,
	"K5":  K5,
	"K7":  K7,
	"K10": K10,
	"K14": K14,
	"K16": K16,
	"K17": K17,
	"K18": K18,
	"K19": K19,
	"K21": K21,
	"K22": K22,
}

// K0 is random.
//
//tandem:kernel workgroup=1 groups=1
func K0(t dsl.Thread, n, m uint32, x []uint32, c []dsl.AtomicUint32, tab *[2]two2) {
	a, b := n, t.Local.X
	var arr [4]uint32
	var s two2
L0:
	for v2 := range uint32(3) {
		if b > b || b != a {
			continue L0
		}
		_ = v2
		a = min(tab[v2&1].add(v2), v2)
		if v2 >= (m+6) && v2 == b {
			continue
		}
		a++
	}
	for v3 := range b & 3 {
		_ = v3
		s.w[s.add(v3)&1], a = get(x, b), s.sum()
	}
L3:
	for v5 := range uint32(2) {
		if !(a == b) {
			continue L3
		}
		_ = v5
	L5:
		for v7 := range uint32(1) {
			if (m+5) < a && (m+7) >= a {
				continue L5
			}
			_ = v7
			v7, v5 = two(c[b&1].Add((m + 1)))
			v5 = put(x, pick(v7 < v5, a, v5), tab[v7&1].add(v7))
			scale(x[0:8], pick(a == v5, a, (m+5)))
		}
	L8:
		for v10 := range uint32(1) {
			if b == a && b > v5 {
				continue L8
			}
			_ = v10
			s.w[put(x, v5, v10)&1] ^= fold(x[3:5], v10, func(p, q uint32) uint32 { return p + q*v10 })
			v11 := &v5
			b++
			*v11 &= a
			s.w[((m+0)>>v10)&1], tab[v5&1].w[(b*v10)&1] = b, put(x, v10, v10)
			if a != a {
				continue
			}
			a++
		}
		if s == make2(b) {
			continue L3
		}
	}
	switch min((b-a), a) & 7 {
	case 0, 1:
		arr[fold(x[1:7], a, func(p, q uint32) uint32 { return p + q*a })&3] = s.sum()
	case 2, 3:
		switch s.add(put(x, b, (m + 3))) {
		case early(arr[:], b), first(two(b)) + 0:
			x[make2((m + 2)).w[1]%24] = total(arr)
		case s.sum(), s.sum() + 1:
			b -= put(x, tab[a&1].add(a), make2((m + 0)).w[1])
			x[first(two(a))%24] = make2(tab[a&1].add(b)).w[1]
			a, a = two(c[(m+1)&1].Add(a))
		case get(x, b), (a >> a) + 2:
			x[tab[a&1].add((m+4))%24], b = two(a)
		default:
			tab[(m+6)&1].w[inc(&b)&1] = b
			s, tab[(m+1)&1] = tab[(m+0)&1], s
			if b <= a && b > (m+2) {
				break
			}
			a++
		}
		scale(x[1:3], s.add((m + 3)))
		s.u = find(arr[:], pick(a > a, (m+1), a))
	case 4, 5:
		b, b = first(two((m + 4))), pick(a > b, a, a)
		v14 := &s.w[min(b, b)&1]
		b++
		*v14 &^= ((m + 2) | (m + 5))
		for v15 := inc(&tab[b&1].w[find(arr[:], a)&1]) & 3; v15 > 0 && (a <= a && (m+1) != b); v15-- {
			v16 := (put(x, a, a) &^ (b * b))
			_ = v16
			scale(x[1:9], (b & v16))
			x[put(x, a, v16)%24], a = two(tab[(m+3)&1].w[(b*v16)&1])
		}
		fallthrough
	case 6, 7:
	L17:
		for v19 := range uint32(2) {
			if (m+2) < (m+8) || (m+5) < (m+3) {
				continue L17
			}
			_ = v19
			v20 := &b
			a++
			*v20 >>= c[(m+0)&1].Add(b)
		}
		scale(x[0:9], tab[b&1].add((m + 3)))
		if a != b && a == a {
			break
		}
		b++
	}
	{
		for v21 := make2(a).w[1] & 3; v21 > 0 && s == make2(a); v21-- {
			v22 := &x[total(arr)%24]
			b++
			*v22 <<= b
			b <<= (get(x, (m+1)) & min(b, a))
			v23 := &b
			b++
			*v23 <<= x[put(x, v21, a)%24]
			if v21 > b && a <= a {
				continue
			}
			a++
		}
	}
	x[a%24] += b + s.u + arr[1] + arr[0] + m
}

// K2 is random.
//
//tandem:kernel workgroup=1 groups=1
func K2(t dsl.Thread, n, m uint32, x []uint32, c []dsl.AtomicUint32, tab *[2]two2) {
	a, b := n, t.Local.X
	var arr [4]uint32
	var s two2
	for v1 := c[(m+5)&1].Add(b) & 3; v1 > 0 && (a > (m+1) || a <= b); v1-- {
		for v2, v3 := range arr {
			_, _ = v2, v3
			a = s.sum()
			b := fold(x[2:4], ((m + 0) - v1), func(p, q uint32) uint32 { return p + q*(m+8) })
			_ = b
			if s == make2(v1) {
				continue
			}
			a++
		}
		switch {
		case s == make2(v1), (b <= a && a != a):
			s, tab[b&1] = tab[b&1], s
			s.w[inc(&a)&1], a = two(s.add(v1))
		case !(b == v1), ((m+4) < b || v1 >= v1):
			v6 := &b
			b++
			*v6 -= min(b, a)
			v7 := &b
			a++
			*v7 ^= early(arr[:], a)
			if !((m + 5) > v1) {
				break
			}
			a++
		case !(v1 <= b), s == make2(b):
			tab[b&1].w[put(x, a, v1)&1], b = (v1 & a), make2(b).w[1]
		default:
			scale(x[2:4], fold(x[2:6], a, func(p, q uint32) uint32 { return p + q*v1 }))
			v8 := &a
			a++
			*v8 ^= (b & b)
			b = a
		}
		if a > b {
			continue
		}
		b++
	}
	scale(x[2:3], fold(x[0:6], a, func(p, q uint32) uint32 { return p + q*b }))
	v9 := a
	_ = v9
	switch (a ^ total(arr)) & 7 {
	case 0, 1:
		x[get(x, (m+7))%24] = put(x, (m + 7), v9)
		s.w[a&1] = inc(&x[s.sum()%24])
		if b == (m + 7) {
			break
		}
		a++
	case 2, 3:
		switch put(x, fold(x[3:4], a, func(p, q uint32) uint32 { return p + q*a }), total(arr)) {
		case inc(&s.w[(b&^b)&1]), inc(&b) + 0:
			arr[total(arr)&3], s.w[(v9^b)&1] = total(arr), b
		case (b + a), arr[((m+8)*a)&3] + 1:
			s.w[s.add(v9)&1] = pick(a < v9, tab[a&1].add(a), s.add(v9))
			tab[a&1].w[(a+v9)&1] >>= s.add((b &^ v9))
		}
	case 4, 5:
		for v10 := range min(v9, b) & 3 {
			_ = v10
			x[early(arr[:], b)%24] = s.add(((m + 8) * v9))
			if !((m + 0) > (m + 2)) {
				break
			}
		}
		switch pick(s == make2(b), (b+a), s.sum()) & 7 {
		case 0, 1:
			a, a = two(put(x, b, (m + 6)))
			v12 := first(two(s.add(a)))
			_ = v12
		default:
			s.u, b = two(pick(a >= a, b, (m + 4)))
			a := total(arr)
			_ = a
			b |= find(arr[:], (v9 + a))
		case 4, 5:
			s, tab[b&1] = tab[b&1], s
			s.w[(a^a)&1], v9 = two((b | (m + 8)))
			if a == a && b >= (m+0) {
				break
			}
			b++
		}
	default:
		if b == v9 && (b == v9 || (m+2) <= v9) {
			a, v9 = two(c[(m+2)&1].Add(v9))
			s, tab[v9&1] = tab[a&1], s
		}
	}
	x[a%24] += b + s.u + arr[1] + arr[0] + m
}

// K4 is random.
//
//tandem:kernel workgroup=1 groups=1
func K4(t dsl.Thread, n, m uint32, x []uint32, c []dsl.AtomicUint32, tab *[2]two2) {
	a, b := n, t.Local.X
	var arr [4]uint32
	var s two2
	a, b = find(arr[:], b), ((m + 4) ^ b)
	if (a < b && (m+3) == a) || (b != a && a != (m+7)) {
	L0:
		for v2 := range uint32(4) {
			if (m + 0) <= b {
				continue L0
			}
			_ = v2
			v2 = fold(x[1:7], tab[a&1].add(v2), func(p, q uint32) uint32 { return p + q*b })
			v3 := s.w[make2(v2).w[1]&1]
			_ = v3
		}
		if b == a {
			return
		}
		arr[(b|a)&3], s.w[a&1] = tab[a&1].add(b), b
	} else if (m+1) <= a && (m+2) >= b {
		for v4 := get(x, a) & 3; v4 > 0 && a >= (m+0); v4-- {
			b &^= pick(s == make2(v4), make2(b).w[1], find(arr[:], v4))
			s.u <<= min(fold(x[2:6], a, func(p, q uint32) uint32 { return p + q*v4 }), (v4 + (m + 4)))
			b = first(two(make2((m + 2)).w[1]))
		}
	} else {
		if !(b < a || a <= (m+3)) {
			b, a = make2(a).w[1], (a + b)
		}
		{
			arr[tab[a&1].w[fold(x[2:4], a, func(p, q uint32) uint32 { return p + q*(m+0) })&1]&3], s.w[((m+5)+(m+4))&1] = b, put(x, a, (m+3))
			v5 := inc(&arr[(b+a)&3])
			_ = v5
			a = fold(x[3:7], inc(&arr[a&3]), func(p, q uint32) uint32 { return p + q*a })
		}
		switch find(arr[:], b) & 7 {
		default:
			b = make2(first(two(b))).w[1]
			v6 := tab[b&1].add(inc(&s.w[inc(&x[c[b&1].Add(a)%24])&1]))
			_ = v6
			s.w[min(v6, v6)&1] -= total(arr)
		case 2, 3:
			scale(x[0:7], c[a&1].Add(b))
			x[c[b&1].Add(b)%24], arr[(a<<a)&3] = first(two(a)), put(x, b, a)
		}
	}
	a ^= find(arr[:], find(arr[:], b))
	x[a%24] += b + s.u + arr[1] + arr[0] + m
}

// K5 is random.
//
//tandem:kernel workgroup=1 groups=1
func K5(t dsl.Thread, n, m uint32, x []uint32, c []dsl.AtomicUint32, tab *[2]two2) {
	a, b := n, t.Local.X
	var arr [4]uint32
	var s two2
	for v1 := range tab[a&1].add(b) & 3 {
		_ = v1
		s.u, tab[v1&1].w[s.add(b)&1] = min(a, b), s.sum()
		b >>= fold(x[1:7], b, func(p, q uint32) uint32 { return p + q*v1 })
		s, tab[v1&1] = tab[v1&1], s
		if a == a {
			continue
		}
		b++
	}
	if min(b, a) != first(two(b)) {
		v2 := total(arr)
		_ = v2
		for v3, v4 := range arr {
			_, _ = v3, v4
			tab[a&1].w[(m+7)&1], a = two(make2((m + 4)).w[1])
			if !(v4 > a) {
				break
			}
		}
	}
	v6, b := two(early(arr[:], b))
	_ = v6
	if !((m+5) != b || b <= (m+3)) {
		switch min(v6, put(x, a, a)) & 7 {
		case 0, 1:
			v6, b = early(arr[:], v6), v6
			if v6 <= (m+5) || v6 == a {
				break
			}
			v6++
		case 2, 3:
			tab[a&1].w[make2(v6).w[1]&1] = first(two(((m + 1) - v6)))
			x[get(x, (m+7))%24], v6 = two(early(arr[:], v6))
			fallthrough
		case 4, 5:
			s, tab[b&1] = tab[(m+4)&1], s
		default:
			v8 := &s.u
			b++
			*v8 *= early(arr[:], b)
			scale(x[0:8], put(x, (m+6), b))
		}
		if v6 >= v6 && b < v6 {
			return
		}
	} else if v6 <= b || v6 > v6 {
		v6, v6 = two(arr[s.u&3])
		for v10 := range c[v6&1].Add(a) & 3 {
			_ = v10
			scale(x[1:4], s.add((m + 4)))
			s, tab[v10&1] = tab[a&1], s
		}
		v6 := (get(x, v6) ^ put(x, v6, v6))
		_ = v6
	} else {
		v12 := &arr[fold(x[3:7], a, func(p, q uint32) uint32 { return p + q*b })&3]
		a++
		*v12 <<= arr[find(arr[:], v6)&3]
		tab[b&1].w[a&1] = find(arr[:], s.w[pick((m+7) != v6, v6, v6)&1])
		b &^= put(x, total(arr), put(x, a, v6))
	}
	if v6 == b || v6 >= a {
		return
	}
	x[a%24] += b + s.u + arr[1] + arr[0] + m
}

// K7 is random.
//
//tandem:kernel workgroup=1 groups=1
func K7(t dsl.Thread, n, m uint32, x []uint32, c []dsl.AtomicUint32, tab *[2]two2) {
	a, b := n, t.Local.X
	var arr [4]uint32
	var s two2
	v1 := total(arr)
	_ = v1
	v1 &= first(two((m + 2)))
	v2, b := two(x[s.u%24])
	_ = v2
	v3, v2 := two(c[v2&1].Add(v2))
	_ = v3
	x[a%24] += b + s.u + arr[1] + arr[0] + m
}

// K10 is random.
//
//tandem:kernel workgroup=1 groups=1
func K10(t dsl.Thread, n, m uint32, x []uint32, c []dsl.AtomicUint32, tab *[2]two2) {
	a, b := n, t.Local.X
	var arr [4]uint32
	var s two2
	if s == make2(tab[b&1].add(b)) {
		v1 := (early(arr[:], (m+0)) | get(x, (m+8)))
		_ = v1
		switch total(arr) & 7 {
		case 0, 1:
			v2 := &b
			v1++
			*v2 |= ((m + 0) * a)
			s.w[early(arr[:], a)&1], v1 = x[min((m+7), b)%24], x[s.add(b)%24]
		case 2, 3:
			a := make2(fold(x[2:7], v1, func(p, q uint32) uint32 { return p + q*a })).w[1]
			_ = a
			arr[total(arr)&3], a = total(arr), (a - b)
			s.w[b&1], b = two(tab[a&1].add((m + 7)))
		}
		v5 := &s.w[v1&1]
		v1++
		*v5 -= make2(b).w[1]
	}
	v6, b := two(inc(&a))
	_ = v6
	s.u ^= find(arr[:], (m + 5))
	scale(x[1:4], early(arr[:], (m+3)))
	for v7, v8 := range arr {
		_, _ = v7, v8
		b, a = early(arr[:], b), put(x, v8, v8)
	L8:
		for v10 := range uint32(3) {
			if v6 >= v6 && v6 == v8 {
				continue L8
			}
			_ = v10
			v8 ^= (total(arr) | v6)
			v11 := &arr[(v8>>(m+5))&3]
			v6++
			*v11 &= v8
			v10 = c[tab[b&1].add(b)&1].Add(make2(v10).w[1])
			if (m + 8) != a {
				continue
			}
			b++
		}
		s.u, a = ((m + 0) ^ b), v6
	}
	x[a%24] += b + s.u + arr[1] + arr[0] + m
}

// K14 is random.
//
//tandem:kernel workgroup=1 groups=1
func K14(t dsl.Thread, n, m uint32, x []uint32, c []dsl.AtomicUint32, tab *[2]two2) {
	a, b := n, t.Local.X
	var arr [4]uint32
	var s two2
	switch inc(&a) {
	default:
		switch put(x, a, inc(&arr[get(x, b)&3])) {
		case fold(x[2:4], a, func(p, q uint32) uint32 { return p + q*b }), find(arr[:], a) + 0:
			b = tab[find(arr[:], b)&1].add(put(x, (m + 6), a))
			x[c[(m+5)&1].Add(a)%24], s.u = s.add((m + 3)), get(x, b)
		case s.sum(), get(x, a) + 1:
			s, tab[a&1] = tab[a&1], s
			scale(x[1:10], inc(&arr[first(two(b))&3]))
			s.u -= inc(&s.w[a&1])
		default:
			a, a = two(early(arr[:], b))
			b, s.u = total(arr), a
			v2 := &tab[b&1].w[fold(x[2:4], a, func(p, q uint32) uint32 { return p + q*b })&1]
			a++
			*v2 <<= min(a, (m + 4))
		}
		v3 := &tab[b&1].w[(b*a)&1]
		b++
		*v3 <<= pick(b <= (m+7), a, b)
	case tab[(m+0)&1].add(b), inc(&a) + 1:
		for v4 := range a & 3 {
			_ = v4
			b = (find(arr[:], b) ^ fold(x[0:5], b, func(p, q uint32) uint32 { return p + q*v4 }))
			if b >= b || v4 > (m+5) {
				continue
			}
			v4++
		}
	case min((m + 3), b), make2(b).w[1] + 2:
		for v5, v6 := range arr {
			_, _ = v5, v6
			s.u = (c[v6&1].Add(a) * fold(x[2:5], v6, func(p, q uint32) uint32 { return p + q*a }))
		}
		scale(x[0:8], (b >> a))
	case inc(&tab[b&1].w[s.sum()&1]), fold(x[2:6], (m+6), func(p, q uint32) uint32 { return p + q*a }) + 3:
		s, tab[a&1] = tab[(m+1)&1], s
		s.w[a&1] -= get(x, a)
	}
	scale(x[2:6], put(x, a, b))
	x[min(a, b)%24], s.u = total(arr), min((m+2), b)
	x[a%24] += b + s.u + arr[1] + arr[0] + m
}

// K16 is random.
//
//tandem:kernel workgroup=1 groups=1
func K16(t dsl.Thread, n, m uint32, x []uint32, c []dsl.AtomicUint32, tab *[2]two2) {
	a, b := n, t.Local.X
	var arr [4]uint32
	var s two2
	for v1 := s.add(a) & 3; v1 > 0 && (a < b || a <= b); v1-- {
		for v2, v3 := range arr {
			_, _ = v2, v3
			a = make2(first(two(v3))).w[1]
			x[min((m+7), v1)%24], s.u = x[get(x, (m+8))%24], pick(b <= v3, a, (m+2))
			v3, b = two(tab[v1&1].add((m + 4)))
			if !(v1 < v1) {
				continue
			}
			v3++
		}
		a, b = s.sum(), a
		s.w[fold(x[2:6], a, func(p, q uint32) uint32 { return p + q*v1 })&1] = inc(&tab[b&1].w[early(arr[:], b)&1])
	}
	for v5 := range (b - b) & 3 {
		_ = v5
		v6 := &x[b%24]
		a++
		*v6 ^= c[v5&1].Add(a)
	}
	s, tab[b&1] = tab[a&1], s
	for v7 := put(x, a, b) & 3; v7 > 0 && (a > a && a == b); v7-- {
		s, tab[a&1] = tab[a&1], s
		if s == make2(v7) {
			continue
		}
		b++
	}
	for v8, v9 := range arr {
		_, _ = v8, v9
		if s == make2(b) && (a > (m+5) || b <= a) {
			b, b = two(s.add(a))
			x[find(arr[:], (m+0))%24], x[pick(b < a, v9, a)%24] = pick(b == (m+5), b, b), get(x, b)
		}
	}
	if !((m + 6) != a) {
		b <<= s.sum()
		tab[a&1].w[a&1], b = two(s.add(a))
	}
	x[a%24] += b + s.u + arr[1] + arr[0] + m
}

// K17 is random.
//
//tandem:kernel workgroup=1 groups=1
func K17(t dsl.Thread, n, m uint32, x []uint32, c []dsl.AtomicUint32, tab *[2]two2) {
	a, b := n, t.Local.X
	var arr [4]uint32
	var s two2
	switch s.add(s.sum()) {
	case s.u, fold(x[0:4], b, func(p, q uint32) uint32 { return p + q*a }) + 0:
		for v1, v2 := range arr {
			_, _ = v1, v2
			b, s.u = inc(&a), c[b&1].Add(v2)
			s.u >>= tab[(m+4)&1].add(min(a, b))
			s, tab[(m+2)&1] = tab[a&1], s
			if s == make2(v2) {
				break
			}
		}
	L2:
		for v4 := range uint32(1) {
			if s == make2(b) {
				continue L2
			}
			_ = v4
			v5 := &b
			v4++
			*v5 |= min(a, b)
			tab[v4&1].w[((m+1)-b)&1] = tab[a&1].w[find(arr[:], b)&1]
			a = make2((a - v4)).w[1]
		}
		fallthrough
	case b, total(arr) + 1:
		arr[s.w[put(x, a, b)&1]&3], a = two(put(x, b, a))
	L6:
		for v8 := range uint32(3) {
			if a != a || a >= a {
				continue L6
			}
			_ = v8
			v9 := &s.w[b&1]
			v8++
			*v9 |= early(arr[:], v8)
			if a > a {
				break
			}
		}
	}
	for v10 := make2((m + 0)).w[1] & 3; v10 > 0 && !(b < (m + 0)); v10-- {
		for v11 := a & 3; v11 > 0 && ((m+1) >= (m+1) || a > (m+7)); v11-- {
			scale(x[0:9], make2((m + 1)).w[1])
			s.u = s.add(find(arr[:], a))
			if b != a || a < b {
				continue
			}
			b++
		}
		if b == v10 && v10 <= b {
			break
		}
	}
	scale(x[1:4], make2((m + 5)).w[1])
	scale(x[1:8], s.sum())
	x[a%24] += b + s.u + arr[1] + arr[0] + m
}

// K18 is random.
//
//tandem:kernel workgroup=1 groups=1
func K18(t dsl.Thread, n, m uint32, x []uint32, c []dsl.AtomicUint32, tab *[2]two2) {
	a, b := n, t.Local.X
	var arr [4]uint32
	var s two2
	for v1 := range x[early(arr[:], (m+0))%24] & 3 {
		_ = v1
		s.w[fold(x[3:5], b, func(p, q uint32) uint32 { return p + q*v1 })&1], s.u = a, pick(v1 == (m+8), a, a)
		b, b = two((a ^ a))
	L2:
		for v4 := range uint32(4) {
			if a != v1 {
				continue L2
			}
			_ = v4
			a, b = two(make2(a).w[1])
			s.u &^= s.sum()
		}
		if s == make2(v1) {
			continue
		}
		b++
	}
L5:
	for v7 := range uint32(4) {
		if a < a {
			continue L5
		}
		_ = v7
		for v8, v9 := range arr {
			_, _ = v8, v9
			arr[pick(a < v9, v9, b)&3] >>= tab[(a<<b)&1].add(c[v9&1].Add((m + 8)))
			v9 = get(x, find(arr[:], (m+7)))
			scale(x[1:9], inc(&b))
		}
		if a == a {
			continue
		}
		v7++
	}
L9:
	for v11 := range uint32(4) {
		if a != a && (m+8) < a {
			continue L9
		}
		_ = v11
		x[tab[a&1].add(a)%24], a = two(total(arr))
		s, tab[(m+1)&1] = tab[(m+0)&1], s
		s, tab[b&1] = tab[(m+8)&1], s
		if v11 <= a || a == v11 {
			continue
		}
		v11++
	}
	for v13, v14 := range arr {
		_, _ = v13, v14
		s.w[s.u&1] *= min(get(x, b), arr[total(arr)&3])
	L14:
		for v16 := range uint32(3) {
			if b != (m + 2) {
				continue L14
			}
			_ = v16
			v17 := &x[make2(v16).w[1]%24]
			v16++
			*v17 <<= c[v14&1].Add(b)
			v14 <<= put(x, v14, b)
			if a == (m+1) && v16 < v14 {
				continue L14
			}
		}
		if ((m + 8) ^ v14) == put(x, a, v14) {
			x[tab[b&1].add(a)%24] >>= (make2(a).w[1] * c[v14&1].Add(v14))
			a, b = two(total(arr))
		}
	}
	switch make2((b | a)).w[1] & 7 {
	case 0, 1:
		{
			arr[min(a, b)&3] = b
			tab[a&1].w[total(arr)&1] = s.u
		}
		a := inc(&x[first(two(a))%24])
		_ = a
	case 2, 3:
		for v20 := range a & 3 {
			_ = v20
			scale(x[1:8], find(arr[:], b))
			v21 := &arr[fold(x[3:5], v20, func(p, q uint32) uint32 { return p + q*v20 })&3]
			v20++
			*v21 |= min(a, v20)
			v20, s.w[b&1] = min(v20, b), total(arr)
			if !(v20 != (m + 1)) {
				continue
			}
			b++
		}
	L21:
		for v23 := range uint32(4) {
			if s == make2(b) {
				continue L21
			}
			_ = v23
			scale(x[1:6], tab[v23&1].add(b))
		}
	case 4, 5:
	L23:
		for v25 := range uint32(3) {
			if (m+6) > a && b >= b {
				continue L23
			}
			_ = v25
			v26 := &a
			v25++
			*v26 -= inc(&tab[b&1].w[fold(x[0:5], b, func(p, q uint32) uint32 { return p + q*a })&1])
			if v25 >= b && (m+4) <= v25 {
				break
			}
		}
		for v27 := range min((m+1), a) & 3 {
			_ = v27
			v28 := &a
			b++
			*v28 ^= s.u
			v27 = first(two(s.sum()))
		}
	}
	v29 := x[first(two(b))%24]
	_ = v29
	x[a%24] += b + s.u + arr[1] + arr[0] + m
}

// K19 is random.
//
//tandem:kernel workgroup=1 groups=1
func K19(t dsl.Thread, n, m uint32, x []uint32, c []dsl.AtomicUint32, tab *[2]two2) {
	a, b := n, t.Local.X
	var arr [4]uint32
	var s two2
	s, tab[(m+6)&1] = tab[b&1], s
	switch c[make2((m + 5)).w[1]&1].Add(c[b&1].Add(b)) {
	case make2(b).w[1], (a | (m + 3)) + 0:
		{
			arr[(m+6)&3] = min(total(arr), a)
			s.u -= fold(x[3:6], (m + 1), func(p, q uint32) uint32 { return p + q*a })
			s.w[(b&^(m+6))&1], a = two(early(arr[:], b))
		}
		arr[(m+7)&3], b = two(fold(x[1:7], b, func(p, q uint32) uint32 { return p + q*a }))
		arr[find(arr[:], a)&3] |= make2(total(arr)).w[1]
	default:
	L2:
		for v4 := range uint32(2) {
			if !(a > b) {
				continue L2
			}
			_ = v4
			a = c[s.add(v4)&1].Add(get(x, b))
		}
		if !(b >= b) {
			break
		}
		a++
	}
	if s == make2(a) && ((m+5) < a && (m+1) != a) {
		arr[tab[a&1].add(a)&3] *= (fold(x[3:4], (m+2), func(p, q uint32) uint32 { return p + q*a }) & make2(b).w[1])
	} else if b == a || a < a {
		v5 := (total(arr) * make2(a).w[1])
		_ = v5
		a = min(a, find(arr[:], b))
	} else {
		a, s.w[b&1] = early(arr[:], b), tab[(m+5)&1].w[a&1]
		if (b >= b && b != (m+8)) && a > (m+1) {
			b, s.w[s.sum()&1] = inc(&b), b
			s.u, b = make2(a).w[1], (a >> b)
			s, tab[a&1] = tab[(m+8)&1], s
		} else if (m+1) <= a && b != (m+4) {
			x[make2((m + 2)).w[1]%24], a = find(arr[:], b), ((m + 3) | a)
		} else {
			s, tab[(m+3)&1] = tab[b&1], s
		}
		{
			b += c[c[a&1].Add(b)&1].Add(first(two(a)))
			scale(x[1:8], min((m+5), a))
			v6 := first(two(fold(x[1:4], b, func(p, q uint32) uint32 { return p + q*b })))
			_ = v6
		}
	}
	x[a%24] += b + s.u + arr[1] + arr[0] + m
}

// K21 is random.
//
//tandem:kernel workgroup=1 groups=1
func K21(t dsl.Thread, n, m uint32, x []uint32, c []dsl.AtomicUint32, tab *[2]two2) {
	a, b := n, t.Local.X
	var arr [4]uint32
	var s two2
	if (a != b && (m+0) < a) && (a < b && b > a) {
	L0:
		for v2 := range uint32(3) {
			if s == make2(a) {
				continue L0
			}
			_ = v2
			x[inc(&tab[v2&1].w[c[a&1].Add(v2)&1])%24] += s.add(min(v2, (m + 6)))
			if !(a > a) {
				continue
			}
			a++
		}
		x[fold(x[3:4], b, func(p, q uint32) uint32 { return p + q*b })%24], a = two(fold(x[3:6], a, func(p, q uint32) uint32 { return p + q*a }))
		b <<= early(arr[:], a)
	}
	{
		arr[min(b, b)&3] = early(arr[:], total(arr))
	}
	b ^= (s.u | total(arr))
	x[a%24] += b + s.u + arr[1] + arr[0] + m
}

// K22 is random.
//
//tandem:kernel workgroup=1 groups=1
func K22(t dsl.Thread, n, m uint32, x []uint32, c []dsl.AtomicUint32, tab *[2]two2) {
	a, b := n, t.Local.X
	var arr [4]uint32
	var s two2
	switch put(x, c[b&1].Add(a), early(arr[:], (m+2))) & 7 {
	case 0, 1:
		if get(x, b) <= get(x, a) {
			s.w[x[tab[a&1].add(b)%24]&1] |= min((m + 3), b)
		} else if (m+0) == b && a > b {
			s.u = ((a * b) - put(x, b, b))
		} else {
			s.u, b = pick(b == b, b, b), c[a&1].Add(b)
		}
	case 2, 3:
		scale(x[0:11], a)
	}
	v1 := early(arr[:], find(arr[:], a))
	_ = v1
	v2, v1 := two((m + 8))
	_ = v2
	if !(a <= b || v1 == (m+1)) {
	L2:
		for v4 := range uint32(2) {
			if s == make2(v2) {
				continue L2
			}
			_ = v4
			s, tab[v2&1] = tab[a&1], s
			arr[make2(b).w[1]&3] = (min(v1, b) &^ s.sum())
			if (m + 2) > b {
				continue
			}
			v4++
		}
	}
	x[a%24] += b + s.u + arr[1] + arr[0] + m
}
