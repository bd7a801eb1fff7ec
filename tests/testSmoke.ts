import { TestDirectParam } from './testDirectParam.ts';

/** The shortest run that uses every service and kind of request: the directed test with defaults of its own. @public */
export class TestSmoke extends TestDirectParam {
  static override readonly typeName: string = 'test_smoke';
  static override readonly description: string = 'a few requests of every kind on RC, UC and UD';
}
