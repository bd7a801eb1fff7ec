import type { Proc } from '../../uvm/kernel/process.ts';
import type { Connection } from './connection.ts';

/**
 * Connections take turns, `count` in all, so that a fault rule of a turn meets what it is for. Nothing without connections.
 * @public
 */
export function* byTurns(
  { connections, count }: { readonly connections: readonly Connection[]; readonly count: number },
  turn: (connection: Connection, i: number) => Proc<void>,
): Proc<void> {
  for (let i = 0; i < count && connections.length > 0; i++)
    yield* turn(connections[i % connections.length] as Connection, i);
}
