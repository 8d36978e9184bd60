// Pages of memory that are brought in many at once. One by one, as each is touched, they cost a fault: a quarter of a
// microsecond on bare metal, ten in some virtual machines, where that was half of a start of the tool.
#pragma once

namespace lmc {

/// Brings in what is in the file of the program or library to which `place`, an address of it, belongs. Does nothing
/// where the system cannot.
void bringInCode(const void* place);

/// Lets the allocator of the C library keep what it has been given, so that bringInHeap is worth something; once a
/// process, which must be a program of ours.
void keepHeap();
/// Brings in memory that the next allocations of this thread are made of: some megabytes, which a thread that compiles
/// takes in any case. Once a thread, and only behind keepHeap.
void bringInHeap();

} // namespace lmc
