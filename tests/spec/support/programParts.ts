/** What scripts import that specs start as processes of their own. */

export { main } from '../../../bin/hcaTest.ts';
export { registryOf } from '../../../bin/registry.ts';
export { Component } from '../../../uvm/base/component.ts';
export { delay } from '../../../uvm/kernel/process.ts';
export { fakeRegistry, fakeResult, opened } from './fakeRun.ts';
