import { type ChildProcess, spawn } from 'node:child_process';
import { isLong } from './runs.js';

const processes = 2;

/**
 * In the long run, two processes that never wait run next to the tests of this file: an attack must not succeed on a
 * busy machine, either.
 */
export function useBusyMachine(): void {
  let busy: ChildProcess[] = [];
  beforeAll(() => {
    if (isLong) busy = Array.from({ length: processes }, () => spawn(process.execPath, ['-e', 'for (;;);']));
  });
  afterAll(() => {
    for (const one of busy) one.kill('SIGKILL');
  });
}
