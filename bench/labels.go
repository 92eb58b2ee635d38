package bench

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// labels returns where the labels of points go, each of a size: as near to its point as there is
// room, over no other label or point, nothing that is taken, and inside the area. A label that has
// no room anywhere goes beside its point.
func labels(points, sizes []vg.Point, taken []vg.Rectangle, area vg.Rectangle) []vg.Rectangle {
	for _, p := range points {
		taken = append(taken, around(p, vg.Points(3)))
	}
	var boxes []vg.Rectangle
	for i, p := range points {
		box := beside(p, sizes[i], 0, vg.Points(6))
		for _, try := range placesAround(p, sizes[i]) {
			if within(try, area) && free(try, taken) {
				box = try
				break
			}
		}
		boxes, taken = append(boxes, box), append(taken, box)
	}
	return boxes
}

// placesAround returns places for a label, the nearest to its point first.
func placesAround(p, size vg.Point) []vg.Rectangle {
	const directions = 24
	var places []vg.Rectangle
	for ring := range 40 {
		for d := range directions {
			// from the right, by turns up and down
			angle := 2 * math.Pi / directions * float64((d+1)/2)
			if d%2 == 1 {
				angle = -angle
			}
			places = append(places, beside(p, size, angle, vg.Points(6)+vg.Points(float64(4*ring))))
		}
	}
	return places
}

// beside returns the place of a label in a direction, at a distance from its point.
func beside(p, size vg.Point, angle float64, distance vg.Length) vg.Rectangle {
	cos, sin := vg.Length(math.Cos(angle)), vg.Length(math.Sin(angle))
	center := vg.Point{X: p.X + cos*(distance+size.X/2), Y: p.Y + sin*(distance+size.Y/2)}
	half := vg.Point{X: size.X / 2, Y: size.Y / 2}
	return vg.Rectangle{Min: center.Sub(half), Max: center.Add(half)}
}

// around returns the square around a point.
func around(p vg.Point, radius vg.Length) vg.Rectangle {
	r := vg.Point{X: radius, Y: radius}
	return vg.Rectangle{Min: p.Sub(r), Max: p.Add(r)}
}

// nearest returns the point of a rectangle that is nearest to p.
func nearest(r vg.Rectangle, p vg.Point) vg.Point {
	return vg.Point{X: max(r.Min.X, min(p.X, r.Max.X)), Y: max(r.Min.Y, min(p.Y, r.Max.Y))}
}

// within reports whether r lies in area.
func within(r, area vg.Rectangle) bool {
	return r.Min.X >= area.Min.X && r.Min.Y >= area.Min.Y && r.Max.X <= area.Max.X && r.Max.Y <= area.Max.Y
}

// free reports whether r overlaps nothing that is taken.
func free(r vg.Rectangle, taken []vg.Rectangle) bool {
	for _, t := range taken {
		if r.Min.X < t.Max.X && t.Min.X < r.Max.X && r.Min.Y < t.Max.Y && t.Min.Y < r.Max.Y {
			return false
		}
	}
	return true
}
