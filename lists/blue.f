// A mixed run of the blue-rdma NIC: all operations that it has, odd lengths, data over the end of a page of 2 MiB.
+DUT=blue
+RC_QP_NUM=4
+UC_QP_NUM=0
+UD_QP_NUM=0
+DB_NUM=3
+SEND_WQE_NUM=3
+RECV_WQE_NUM=3
+WRITE_WQE_NUM=3
+READ_WQE_NUM=2
+SG_NUM=1
+DATA_CNT=7777
+DATA_OFFSET=2096003
+IMM=50
+ACK_TIMEOUT=7
+STALL_TIME=30ms
