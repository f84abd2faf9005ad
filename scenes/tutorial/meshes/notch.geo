// A notch hinge: a bar with a thin neck, as hexahedra.  Make the mesh:  gmsh -3 notch.geo
// Lengths in mm. Physical names become groups in pliant.
c = Sqrt(25 - 4);                                  // half the width of a notch of radius 5
Point(1) = {0, 0, 0};      Point(2) = {30 - c, 0, 0}; Point(3) = {30 + c, 0, 0}; Point(4) = {60, 0, 0};
Point(5) = {0, 8, 0};      Point(6) = {30 - c, 8, 0}; Point(7) = {30 + c, 8, 0}; Point(8) = {60, 8, 0};
Point(9) = {30, -2, 0};    Point(10) = {30, 10, 0};   // centres of the notches: the neck is 2 mm
Line(1) = {2, 1};          Circle(2) = {2, 9, 3};      Line(3) = {3, 4};
Line(4) = {6, 5};          Circle(5) = {6, 10, 7};     Line(6) = {7, 8};
Line(7) = {1, 5}; Line(8) = {2, 6}; Line(9) = {3, 7}; Line(10) = {4, 8};
Curve Loop(1) = {1, 7, -4, -8};  Plane Surface(1) = {1};
Curve Loop(2) = {2, 9, -5, -8};  Plane Surface(2) = {2};
Curve Loop(3) = {3, 10, -6, -9}; Plane Surface(3) = {3};

Transfinite Curve{7, 8, 9, 10} = 5;                // 4 cells through the thickness
Transfinite Curve{2, 5} = 15;                      // 14 along the neck
Transfinite Curve{1, 3, 4, 6} = 7 Using Progression 1.4;
Transfinite Surface{1, 2, 3};
Recombine Surface{1, 2, 3};
out[] = Extrude{0, 0, 12}{ Surface{1, 2, 3}; Layers{3}; Recombine; };

Physical Volume("bar") = Volume{:};
Physical Surface("root") = Surface In BoundingBox{-0.1, -1, -1, 0.1, 9, 13};
Physical Surface("tip") = Surface In BoundingBox{59.9, -1, -1, 60.1, 9, 13};
