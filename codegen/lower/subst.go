package lower

import "go/types"

// substitution gives each type parameter of an instance its type.
type substitution map[*types.TypeParam]types.Type

// bind returns the substitution of params by args.
func bind(params *types.TypeParamList, args []types.Type) substitution {
	s := substitution{}
	for i := range params.Len() {
		if i < len(args) {
			s[params.At(i)] = args[i]
		}
	}
	return s
}

// typ returns t with all type parameters replaced.
func (s substitution) typ(t types.Type) types.Type {
	if len(s) == 0 {
		return t
	}
	return s.deep(t)
}

// deep is typ that looks into aliases too, so that identical types print the
// same.
func (s substitution) deep(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.TypeParam:
		if a, ok := s[t]; ok {
			return a
		}
	case *types.Alias:
		return s.deep(types.Unalias(t))
	case *types.Named:
		return s.named(t)
	case *types.Pointer:
		return types.NewPointer(s.deep(t.Elem()))
	case *types.Slice:
		return types.NewSlice(s.deep(t.Elem()))
	case *types.Array:
		return types.NewArray(s.deep(t.Elem()), t.Len())
	case *types.Struct:
		return s.structure(t)
	case *types.Tuple:
		return s.tuple(t)
	case *types.Signature:
		return types.NewSignatureType(t.Recv(), nil, nil, s.tuple(t.Params()), s.tuple(t.Results()), t.Variadic())
	}
	return t
}

func (s substitution) types(list *types.TypeList) []types.Type {
	args := make([]types.Type, list.Len())
	for i := range args {
		args[i] = s.deep(list.At(i))
	}
	return args
}

func (s substitution) named(t *types.Named) types.Type {
	if t.TypeArgs().Len() == 0 {
		return t
	}
	if inst, err := types.Instantiate(nil, t.Origin(), s.types(t.TypeArgs()), false); err == nil {
		return inst
	}
	return t
}

func (s substitution) structure(t *types.Struct) types.Type {
	fields := make([]*types.Var, t.NumFields())
	tags := make([]string, t.NumFields())
	for i := range fields {
		v := t.Field(i)
		fields[i] = types.NewField(v.Pos(), v.Pkg(), v.Name(), s.deep(v.Type()), v.Embedded())
		tags[i] = t.Tag(i)
	}
	return types.NewStruct(fields, tags)
}

func (s substitution) tuple(t *types.Tuple) *types.Tuple {
	vars := make([]*types.Var, t.Len())
	for i := range vars {
		v := t.At(i)
		vars[i] = types.NewVar(v.Pos(), v.Pkg(), v.Name(), s.deep(v.Type()))
	}
	return types.NewTuple(vars...)
}
