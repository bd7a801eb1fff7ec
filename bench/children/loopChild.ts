/** A process that does nothing but arithmetic: what two workers gain over one on this machine, at this moment. */

/** Does the number of steps given as JSON. */
export async function main(json: string): Promise<void> {
  const steps = JSON.parse(json) as number;
  let x = 1;
  for (let i = 0; i < steps; i++) x = (Math.imul(x, 1_103_515_245) + 12_345) | 0;
  process.stdout.write(String(x));
}
