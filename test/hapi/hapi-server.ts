import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Resource } from '@medplum/fhirtypes';
import { generateDemoData } from '../../demo/data/generate.js';
import type { DemoServer } from '../support/fhir/demo-gateway.js';

const atOnce = 200;

/** A HAPI FHIR JPA server with the demo's data, in its own process with an in-memory database. */
export async function startHapi(classpath = process.env.HAPI_CLASSPATH ?? ''): Promise<DemoServer & { pid: number }> {
  const quietly = '-Dorg.slf4j.simpleLogger.defaultLogLevel=error';
  const child = spawn('java', ['-Xmx2g', quietly, '-cp', classpath, 'HapiServer'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const close = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const port = await portOf(child.stdout);
  if (port === undefined) throw new Error('the HAPI FHIR server did not start');
  const url = `http://127.0.0.1:${port}/fhir`;
  try {
    const resources = generateDemoData();
    for (let from = 0; from < resources.length; from += atOnce) await load(url, resources.slice(from, from + atOnce));
  } catch (error) {
    await close();
    throw error;
  }
  return { url, close, pid: child.pid ?? 0 };
}

async function portOf(output: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const [, port] = /^listening on (\d+)$/.exec(line) ?? [];
    if (port !== undefined) return port;
  }
  return undefined;
}

async function load(url: string, resources: Resource[]): Promise<void> {
  const entry = resources.map((resource) => ({
    resource,
    request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
  }));
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry }),
    headers: { 'content-type': 'application/fhir+json' },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the demo's data was answered ${response.status}: ${text.slice(0, 1000)}`);
}
