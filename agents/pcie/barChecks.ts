import { PcieUsageError } from './pcieError.ts';

/**
 * Whether an access to a BAR is possible.
 * @param what the call, for the error
 * @param limit most bytes of one access
 * @throws PcieUsageError
 */
export function checkAccess(what: string, bar: number, offset: number, length: number, limit: number): void {
  if (!Number.isInteger(bar) || bar < 0 || bar > 5) throw new PcieUsageError(`${what}: bar`, bar, 'use 0 to 5');
  if (!Number.isInteger(offset) || offset < 0 || offset > 0x7fff_ffff || (offset & 3) !== 0) {
    throw new PcieUsageError(`${what}: offset`, offset, 'use a multiple of 4 below 2^31');
  }
  if (!(length >= 1 && length <= limit) || (offset & 4095) + length > 4096) {
    throw new PcieUsageError(
      `${what}: length`,
      length,
      `stay below ${limit} bytes and inside 4 KiB; use several accesses`,
    );
  }
}

/** Bytes of the largest BAR that memory may lie behind. */
const MOST_MEMORY = 2 ** 36;

/** The same of memory behind a BAR, any byte of it. */
export function checkMemoryAccess(what: string, bar: number, offset: number, length: number, limit: number): void {
  if (!Number.isInteger(bar) || bar < 0 || bar > 5) throw new PcieUsageError(`${what}: bar`, bar, 'use 0 to 5');
  if (!Number.isInteger(offset) || offset < 0 || offset >= MOST_MEMORY)
    throw new PcieUsageError(`${what}: offset`, offset, 'use a byte below 2^36');
  if (!(length >= 1 && length <= limit) || (offset % 4096) + length > 4096)
    throw new PcieUsageError(
      `${what}: length`,
      length,
      `stay below ${limit} bytes and inside 4 KiB; use several accesses`,
    );
}
