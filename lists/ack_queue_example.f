// The example of the published ACK queue: 900 MHz, a host memory that answers reads in about 0.9 us, and a chip whose
// caches have lost the translation of the word.
+UVM_TESTNAME=test_sequence
+UVM_TEST_SEQ=ack_queue_example
+RC_QP_NUM=1
+ACK_TIMEOUT=4
+NIC_CLOCK_PS=1111
+NIC_ATOMIC_DISCARD=1
+NIC_ATOMIC_CYCLES=280
+NIC_MPT_CACHE=8
+NIC_MTT_CACHE=8
+PCIE_MEMORY_NS=520
