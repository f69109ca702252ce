import type { Stored } from './records.js';
import { ServerRefusal } from './store.js';
import type { PlainAnswer } from './wire.js';

const types = ['Patient', 'Observation', 'Practitioner'];

/** Bulk exports (Bulk Data Access 2.0): a job is done the second time that it is asked for. */
export class Exports {
  private readonly asked = new Map<string, number>();

  constructor(
    /** The addresses of jobs and of files, without a slash at the end. */
    private readonly addresses: () => { jobs: string; files: string },
    private readonly all: () => readonly Stored[],
    /** Addresses to list in place of its own files. */
    private readonly listed: () => readonly string[] | undefined,
  ) {}

  begin(prefer: string | undefined): PlainAnswer {
    if (!/respond-async/.test(prefer ?? '')) throw new ServerRefusal(400, 'invalid', 'Only asynchronous requests');
    const id = String(this.asked.size + 1);
    this.asked.set(id, 0);
    return { status: 202, headers: { 'Content-Location': `${this.addresses().jobs}/${id}` } };
  }

  job(method: string, id: string): PlainAnswer {
    const times = this.asked.get(id);
    if (times === undefined) throw new ServerRefusal(404, 'not-found', 'No such job');
    if (method === 'DELETE') {
      this.asked.delete(id);
      return { status: 202 };
    }
    this.asked.set(id, times + 1);
    if (times === 0) return { status: 202, headers: { 'X-Progress': '50 %', 'Retry-After': '1' } };
    const own = types.map((type) => ({ type, url: `${this.addresses().files}/${type}.ndjson` }));
    const output = this.listed()?.map((url) => ({ type: 'Patient', url })) ?? own;
    const manifest = {
      transactionTime: '2026-01-01T00:00:00Z',
      request: '$export',
      requiresAccessToken: true,
      output,
      error: [],
    };
    return { status: 200, content: { type: 'application/json', bytes: Buffer.from(JSON.stringify(manifest)) } };
  }

  file(name: string): PlainAnswer {
    const lines = this.all().filter(({ resourceType }) => `${resourceType}.ndjson` === name);
    const text = lines.map((resource) => `${JSON.stringify(resource)}\n`).join('');
    return { status: 200, content: { type: 'application/fhir+ndjson', bytes: Buffer.from(text) } };
  }
}
