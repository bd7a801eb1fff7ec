/** Golden descriptors of blue-rdma.md 5.6, computed from the layouts and not by the code under test. */
import type { Words } from './blueRings.ts';

export const GOLDEN = {
  sendFirst: words('0000122000020510', '00007f0000000f00', '000001a31122330b', 'c000000700030000'),
  sendSecond: words('00007f1000000100', '000002c40000f100', 'aabbccddee0b0001', '8000b0f300000000'),
  packetInfo: words('000001a300000000', '00007f0000000f00', '0002050000030000', '8006000700001220'),
  localAck: words('ffffffffffffffff', '0003ffffffffffff', '0000000001f30000', '8011080000000000'),
  localNak: words('ffffffffffffffff', '0001ffffffffffff', '0000800001f30000', 'c0110b0000007000'),
  localNakBefore: words('ffffffffffffffdf', 'ffffffffffffffff', '0', '8011000000000000'),
  updateMr: words('0000000007001000', '00400000000001a3', '00007f0000000000', '8000005500000000'),
  updatePages: words('0', '0000002000000002', '0000000012345600', '8001005600000000'),
  manageQp: words('0100aabbccddee0b', '0002050720a00000', '800001f300000000', '800200571122330b'),
} as const;

function words(...hex: readonly [string, string, string, string]): Words {
  return hex.map((text) => BigInt(`0x${text}`)) as unknown as Words;
}
