/** Output that a spec can look at. */

import { visibleText } from '../../../uvm/report/visibleText.ts';
import { DescriptorOutput } from '../../../bin/cli/syncOutput.ts';

export class CapturedOutput extends DescriptorOutput {
  text = '';

  constructor() {
    super(-1);
  }

  override line(text: string): void {
    this.text += `${visibleText(text)}\n`;
  }

  override flush(): void {}
}
