"""Data between reading and learning: `batch` (examples), `rows` (examples with numbered features), `arrays`,
`axes` (what states say of their arrays), `merging` (sums of what several learners have added to a common start),
`linear_algebra` (small dense operations of kernels), `mixing` (hashes of numbers, random normals), `order` (labels in
long blocks)."""
