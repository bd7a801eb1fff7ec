/** What QUERY_MPT says of a region. */
import type { MrAttributes } from '../../../../agents/verbs/mrItems.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { TWO_32 } from '../../../../uvm/bytes/words.ts';
import { type Field, MPT_FIELD, MPT_PERMISSION } from '../../layout/contexts.ts';
import { getField } from './image.ts';

/** Permissions that are `ACCESS` bits as they are. */
const ACCESS_BITS = MPT_PERMISSION.zeroBased - 1;

/** @param outbox byte-store offset of the answer */
export function readRegion(bytes: ByteStore, outbox: number): MrAttributes {
  const field = (of: Field): number => getField(bytes, outbox, of);
  const lowHalf = ([offset]: Field): Field => [offset + 4, 4];
  const highHalf = ([offset]: Field): Field => [offset, 4];
  const flags = field(MPT_FIELD.flags);
  return {
    key: field(MPT_FIELD.key),
    pd: field(MPT_FIELD.pd),
    hi: field(highHalf(MPT_FIELD.start)) | 0,
    lo: field(lowHalf(MPT_FIELD.start)) | 0,
    length: field(highHalf(MPT_FIELD.length)) * TWO_32 + field(lowHalf(MPT_FIELD.length)),
    access: flags & ACCESS_BITS,
    zeroBased: (flags & MPT_PERMISSION.zeroBased) !== 0,
  };
}
