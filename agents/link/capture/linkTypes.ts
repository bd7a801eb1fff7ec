/** Link types of captures (tcpdump.org/linktypes.html). */

export const LINKTYPE_ETHERNET = 1;
