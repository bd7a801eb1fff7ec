/** Kinds under which frames are folded into the run's transcript: out of a NIC with bytes, into a NIC. */
export const LINK_TRANSCRIPT = { sent: 16, received: 17, receivedEdited: 18 } as const;
