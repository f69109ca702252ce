import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const appModule = 'src/app.module.ts';
const tags = 'src/tags/tags.module.ts';
const document = 'docs/architecture.md';

describe('The comment of a Nest module', () => {
  let copy: string;

  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'gatehouse-modules-'));
    for (const part of ['src', document]) cpSync(part, join(copy, part), { recursive: true });
  });

  afterEach(() => rmSync(copy, { recursive: true }));

  it('is accepted as it is in the sources', () => {
    expect(reportedBy('checks/modules.mjs')).toBe('');
    expect(reportedBy('import-graph.mjs', '--check')).toBe('');
  });

  it('must say what the module is, and its line', () => {
    change(tags, (source) => source.replace(/ Line \d+ of the direction of use\./, ''));
    expect(reportedBy('checks/modules.mjs')).toContain(
      'src/tags/tags.module.ts does not say what the module is and its line of the direction of use\n',
    );
  });

  it('is asked for in a new folder', () => {
    plant('src/reports/domain/report.ts', '');
    expect(reportedBy('checks/modules.mjs')).toMatch(/^src\/reports\/reports\.module\.ts does not say .*\n$/);
  });

  it('brings the module into app.module.ts', () => {
    change(appModule, (source) => source.replace(/^ +TagsModule,\n/m, ''));
    expect(reportedBy('checks/modules.mjs')).toBe('TagsModule is not imported by src/app.module.ts\n');
  });

  it('gives the module its place in app.module.ts', () => {
    change(appModule, (source) =>
      source
        .replace(/^ +TagsModule,\n/m, '')
        .replace('        OidcModule,\n', '        OidcModule,\n        TagsModule,\n'),
    );
    expect(reportedBy('checks/modules.mjs')).toBe(
      'TagsModule stands after a module of a later line in src/app.module.ts\n',
    );
  });

  it.each([
    ['the responsibility', /Labels by which/, 'Names by which'],
    ['the line', /Line 2 of the direction/, 'Line 3 of the direction'],
  ])('changes the document with %s', (_part, before, after) => {
    change(tags, (source) => source.replace(before, after));
    expect(reportedBy('import-graph.mjs', '--check')).toContain('docs/architecture.md is not that of the sources');
    expect(reportedBy('import-graph.mjs')).toBe('');
    expect(reportedBy('import-graph.mjs', '--check')).toBe('');
  });

  function plant(file: string, source: string) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), source);
  }

  function change(file: string, changed: (source: string) => string) {
    const source = readFileSync(join(copy, file), 'utf8');
    const result = changed(source);
    expect(result).not.toBe(source);
    plant(file, result);
  }

  /** What a command of `npm run check` prints about the copy. */
  function reportedBy(script: string, ...parameters: string[]): string {
    const { status, stderr } = spawnSync(process.execPath, [resolve('scripts', script), ...parameters], {
      cwd: copy,
      encoding: 'utf8',
    });
    expect(status).toBe(stderr === '' ? 0 : 1);
    return stderr;
  }
});
