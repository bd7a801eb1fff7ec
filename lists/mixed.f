// A mixed run, in which most planted bugs show: all services and operations, odd lengths, several entries.
+RC_QP_NUM=4
+UC_QP_NUM=2
+UD_QP_NUM=2
+DB_NUM=2
+SEND_WQE_NUM=6
+RECV_WQE_NUM=6
+WRITE_WQE_NUM=6
+READ_WQE_NUM=6
+SG_NUM=3
+DATA_CNT=701
+IMM=30
