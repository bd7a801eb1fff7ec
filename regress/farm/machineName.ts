import { hostname } from 'node:os';

/** What a scheduler calls this machine, where it says so: several nodes of Slurm may be one machine. */
export function machineName(): string {
  return process.env['SLURMD_NODENAME'] ?? hostname();
}
