/** Output that a spec can look at. */

import { DescriptorOutput } from '../../../bin/cli/syncOutput.ts';

export class CapturedOutput extends DescriptorOutput {
  text = '';

  constructor() {
    super(-1);
  }

  override line(text: string): void {
    this.text += `${text}\n`;
  }

  override flush(): void {}
}
