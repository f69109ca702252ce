import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Python with schemathesis; `npm run test:long` installs one if it can. */
const python = process.env.SCHEMATHESIS_PYTHON ?? 'python3';

export const hasSchemathesis = spawnSync(python, ['-c', 'import schemathesis'], { stdio: 'ignore' }).status === 0;

interface Run {
  /** The address of the portal. */
  issuer: string;
  /**
   * The session cookie and its signature, by the security schemes of the description; empty for a caller without a
   * session.
   */
  session: Record<string, string>;
  seed: number;
  /** Requests that are generated for a call in each phase. */
  examples: number;
  /** Paths of the calls, as a regular expression. */
  paths: string;
  /** Calls without one of the checks, by their `operationId`. */
  unchecked: { check: string; operations: string[] }[];
}

interface Outcome {
  /** Requests that were sent. */
  requests: number;
  /** Calls that were tested. */
  operations: number;
  /** Calls that were always answered 401 or 403. */
  closed: string[];
  /** What schemathesis says of each failure, or of why it could not run. */
  failures: string;
}

/** Sends what schemathesis generates from `/api/openapi.json`, and checks each answer. */
export async function schemathesis({ issuer, session, seed, examples, paths, unchecked }: Run): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-schemathesis-'));
  const accepted = ['2xx', '3xx', 401, 403, 404, 409, 429, 431, 503];
  const refused = [400, 401, 403, 404, 405, 409, 413, 415, 429, 431, 503];
  const lines = [
    'continue-on-failure = true',
    'suppress-health-check = ["all"]',
    'request-timeout = 30',
    `seed = ${seed}`,
    '[generation]',
    'database = "none"',
    `max-examples = ${examples}`,
    '[output.sanitization]',
    'enabled = false',
    ...Object.entries(session).flatMap(([scheme, value]) => [
      `[auth.openapi.${scheme}]`,
      `api_key = ${JSON.stringify(value)}`,
    ]),
    '[checks]',
    `positive_data_acceptance.expected-statuses = ${JSON.stringify(accepted)}`,
    `negative_data_rejection.expected-statuses = ${JSON.stringify(refused)}`,
    ...unchecked.flatMap(({ check, operations }) =>
      operations.flatMap((id) => [
        '[[operations]]',
        `include-operation-id = "${id}"`,
        `checks.${check}.enabled = false`,
      ]),
    ),
  ];
  await writeFile(join(folder, 'schemathesis.toml'), lines.join('\n'));
  const report = join(folder, 'report.json');
  const parameters = ['run', `${issuer}/api/openapi.json`, '--no-color', '--include-path-regex', paths];
  const reporting = ['--report=json', `--report-json-path=${report}`];
  try {
    const printed = await new Promise<string>((resolve) => {
      const env = { ...process.env, NO_PROXY: '*', no_proxy: '*', COLUMNS: '160' };
      const options = { cwd: folder, env, maxBuffer: 1 << 28 };
      execFile(python, ['-m', 'schemathesis.cli', ...parameters, ...reporting], options, (_, out, err) =>
        resolve(out + err),
      );
    });
    const told = JSON.parse(await readFile(report, 'utf8').catch(() => 'null')) as Report | null;
    const isClean = told?.complete && told.failures.length === 0 && told.errors.length === 0;
    return {
      requests: told?.test_cases.generated ?? 0,
      operations: told?.operations.tested ?? 0,
      closed: told?.warnings.missing_auth ?? [],
      failures: isClean ? '' : printed.slice(Math.max(printed.search(/^=+ (ERRORS|FAILURES)/m), 0)),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Report {
  complete: boolean;
  operations: { tested: number };
  test_cases: { generated: number };
  failures: unknown[];
  errors: unknown[];
  warnings: { missing_auth?: string[] };
}
