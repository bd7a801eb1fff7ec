/** Stimulus for bugs of keys that requests change. */

/** A case of the conformance list, on one connection or two. */
export function played(id: string, connections = 1): readonly string[] {
  return [
    ...['+UVM_TESTNAME=test_conformance', `+CASE=${id}`, '+PROC_NUM=1'],
    ...[`+RC_QP_NUM=${connections}`, '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+ACK_TIMEOUT=1', '+RETRY_CNT=1'],
  ];
}

/** A sequence of keys on so many connections. */
export function sequence(name: string, connections: number): readonly string[] {
  return [
    ...['+UVM_TESTNAME=test_sequence', `+UVM_TEST_SEQ=${name}`, '+PROC_NUM=1'],
    ...[`+RC_QP_NUM=${connections}`, '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+ACK_TIMEOUT=1', '+RETRY_CNT=1'],
  ];
}
