/** Something that can be timed again and again. */
export interface Contender {
  /** One round. @returns the cost of one operation, in the unit that the goal compares */
  round(): Promise<number>;
}

/**
 * Times all contenders once in every round, in the order given, so that whatever else the machine does hits all alike.
 * @returns for each contender the costs of all rounds
 */
export async function inTurn(rounds: number, contenders: readonly Contender[]): Promise<number[][]> {
  const costs: number[][] = contenders.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, contender] of contenders.entries()) (costs[i] as number[]).push(await contender.round());
  }
  return costs;
}
