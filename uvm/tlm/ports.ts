import type { Proc } from '../kernel/process.ts';
import type { Get, GetPeek, Peek, Put, Transport } from './interfaces.ts';
import { Port } from './port.ts';

/** Asks a provider to take items (1800.2 12.2.5.1). @public */
export class PutPort<T> extends Port<Put<T>> {
  put(item: T): Proc {
    return this.at().put(item);
  }
  tryPut(item: T): boolean {
    return this.at().tryPut(item);
  }
  canPut(): boolean {
    return this.at().canPut();
  }
}

/** Asks a provider for items (1800.2 12.2.5.1). @public */
export class GetPort<T> extends Port<Get<T>> {
  get(): Proc<T> {
    return this.at().get();
  }
  tryGet(): T | undefined {
    return this.at().tryGet();
  }
  canGet(): boolean {
    return this.at().canGet();
  }
}

/** Asks a provider for a look at the next item (1800.2 12.2.5.1). @public */
export class PeekPort<T> extends Port<Peek<T>> {
  peek(): Proc<T> {
    return this.at().peek();
  }
  tryPeek(): T | undefined {
    return this.at().tryPeek();
  }
  canPeek(): boolean {
    return this.at().canPeek();
  }
}

/** Both get and peek on one provider (1800.2 12.2.5.1). @public */
export class GetPeekPort<T> extends Port<GetPeek<T>> {
  get(): Proc<T> {
    return this.at().get();
  }
  tryGet(): T | undefined {
    return this.at().tryGet();
  }
  canGet(): boolean {
    return this.at().canGet();
  }
  peek(): Proc<T> {
    return this.at().peek();
  }
  tryPeek(): T | undefined {
    return this.at().tryPeek();
  }
  canPeek(): boolean {
    return this.at().canPeek();
  }
}

/** Asks a provider to answer a request (1800.2 12.2.5.1). @public */
export class TransportPort<REQ, RSP> extends Port<Transport<REQ, RSP>> {
  transport(request: REQ): Proc<RSP> {
    return this.at().transport(request);
  }
  nbTransport(request: REQ): RSP | undefined {
    return this.at().nbTransport(request);
  }
}
