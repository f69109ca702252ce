import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

/** `from` imports `to`; a bare name is a package. */
interface Import {
  from: string;
  to: string;
  statement?: 'import type';
}
interface Violation {
  rule: { name: string };
  from: string;
  to: string;
}

const violations: Record<string, Import[]> = {
  'module-has-its-line': [{ from: 'src/reports/domain/report.ts', to: 'src/platform/errors.ts' }],
  'module-has-four-layers': [
    { from: 'src/users/helpers/names.ts', to: 'src/contract/users.ts' },
    { from: 'src/users/loose.ts', to: 'src/contract/users.ts' },
    { from: 'src/users/engine/names.ts', to: 'src/contract/users.ts' },
  ],
  'direction-of-line-1': [
    { from: 'src/managed/application/early.ts', to: 'src/clients/application/client-changes.ts' },
    { from: 'src/bulk/application/sideways.ts', to: 'src/managed/application/managed-objects.ts' },
  ],
  'direction-of-line-2': [
    { from: 'src/oidc-store/infrastructure/early.ts', to: 'src/users/application/user-directory.ts' },
    { from: 'src/tags/application/sideways.ts', to: 'src/fhir-server/application/status.ts' },
  ],
  'direction-of-line-3': [{ from: 'src/clients/application/early.ts', to: 'src/oidc/engine/shared/engine.ts' }],
  'direction-of-line-4': [{ from: 'src/representation/application/early.ts', to: 'src/oidc/application/sign-ins.ts' }],
  'direction-of-line-5': [{ from: 'src/oidc/application/early.ts', to: 'src/consent/application/decide.ts' }],
  'direction-of-line-6': [{ from: 'src/disclaimers/application/early.ts', to: 'src/consent/application/decide.ts' }],
  'direction-of-line-7': [{ from: 'src/consent/application/early.ts', to: 'src/session/application/sign-in.ts' }],
  'direction-of-line-8': [
    { from: 'src/session/application/sideways.ts', to: 'src/grants/application/list.ts' },
    { from: 'src/grants/application/early.ts', to: 'src/own-data/application/downloads.ts' },
  ],
  'direction-of-line-9': [{ from: 'src/own-data/application/early.ts', to: 'src/helpdesk/application/user-help.ts' }],
  'direction-of-line-10': [{ from: 'src/requests/application/early.ts', to: 'src/presence/application/presence.ts' }],
  domain: [
    { from: 'src/users/domain/uses-application.ts', to: 'src/users/application/user-directory.ts' },
    { from: 'src/users/domain/uses-other-domain.ts', to: 'src/tags/domain/tag.ts' },
    { from: 'src/users/domain/uses-platform.ts', to: 'src/platform/logging/log.ts' },
    { from: 'src/users/domain/uses-package.ts', to: 'typeorm' },
    { from: 'src/users/domain/uses-files.ts', to: 'node:fs' },
  ],
  application: [
    { from: 'src/users/application/uses-infrastructure.ts', to: 'src/users/infrastructure/typeorm-users.ts' },
    { from: 'src/users/application/uses-http.ts', to: 'src/users/http/users.controller.ts' },
    { from: 'src/users/application/uses-other-domain.ts', to: 'src/tags/domain/tag.ts', statement: 'import type' },
    { from: 'src/session/application/uses-engine.ts', to: 'src/oidc/engine/grants/refresh-token.ts' },
  ],
  infrastructure: [
    { from: 'src/users/infrastructure/uses-application.ts', to: 'src/users/application/user-directory.ts' },
    { from: 'src/users/infrastructure/uses-other-domain.ts', to: 'src/tags/domain/tag.ts' },
  ],
  http: [
    { from: 'src/users/http/uses-domain.ts', to: 'src/users/domain/user.ts' },
    { from: 'src/users/http/uses-other-room.ts', to: 'src/tags/application/tagging.ts' },
    { from: 'src/users/http/uses-platform.ts', to: 'src/platform/logging/log.ts' },
  ],
  module: [{ from: 'src/users/users.module.ts', to: 'src/tags/infrastructure/typeorm-tags.ts' }],
  'database-behind-infrastructure': [
    { from: 'src/users/application/asks-database.ts', to: 'typeorm' },
    { from: 'src/users/http/asks-database.ts', to: 'pg' },
  ],
  'store-is-infrastructure': [
    { from: 'src/oidc-store/application/use-case.ts', to: 'src/platform/database/database.ts' },
    { from: 'src/oidc-store/domain/rule.ts', to: 'src/platform/errors.ts' },
  ],
  'statements-in-infrastructure': [
    { from: 'src/users/application/lists.ts', to: 'src/platform/database/paged-search.ts' },
    { from: 'src/users/application/claims.ts', to: 'src/platform/jobs/job-table.ts' },
  ],
  'http-before-application': [
    { from: 'src/users/application/reads-request.ts', to: 'express', statement: 'import type' },
  ],
  'gateway-server-below-access': [
    {
      from: 'src/gateway/application/server/decides.ts',
      to: 'src/gateway/application/access/limited-access.ts',
      statement: 'import type',
    },
    { from: 'src/gateway/application/server/reaches-up.ts', to: 'src/gateway/application/fhir-gateway.ts' },
  ],
  'gateway-folders-apart': [
    { from: 'src/gateway/application/access/records.ts', to: 'src/gateway/application/audit/access-audit.ts' },
    { from: 'src/gateway/application/audit/decides.ts', to: 'src/gateway/application/access/limited-access.ts' },
    { from: 'src/gateway/application/documents/reaches-up.ts', to: 'src/gateway/application/fhir-gateway.ts' },
  ],
  'use-cases-without-http': [
    { from: 'src/session/application/reads-cookie.ts', to: 'src/platform/http/cookies.ts' },
    { from: 'src/session/application/reads-request.ts', to: 'node:http', statement: 'import type' },
    { from: 'src/session/domain/knows-browser.ts', to: 'node:http', statement: 'import type' },
  ],
  engine: [
    { from: 'src/oidc/engine/tokens/uses-use-case.ts', to: 'src/oidc/application/interactions.ts' },
    { from: 'src/oidc/engine/tokens/uses-other-domain.ts', to: 'src/tags/domain/tag.ts' },
  ],
  'engine-direction-of-shared': [
    { from: 'src/oidc/engine/shared/early.ts', to: 'src/oidc/engine/clients/client-metadata.ts' },
    { from: 'src/oidc/engine/shared/reaches-up.ts', to: 'src/oidc/engine/engine-assembly.ts' },
  ],
  'engine-direction-of-keys': [
    { from: 'src/oidc/engine/keys/early.ts', to: 'src/oidc/engine/clients/client-metadata.ts' },
  ],
  'engine-direction-of-clients': [
    { from: 'src/oidc/engine/clients/early.ts', to: 'src/oidc/engine/tokens/introspection.ts' },
  ],
  'engine-direction-of-authorization': [
    { from: 'src/oidc/engine/authorization/early.ts', to: 'src/oidc/engine/tokens/introspection.ts' },
  ],
  'engine-direction-of-tokens': [{ from: 'src/oidc/engine/tokens/early.ts', to: 'src/oidc/engine/sessions/logout.ts' }],
  'engine-direction-of-grants': [{ from: 'src/oidc/engine/grants/early.ts', to: 'src/oidc/engine/sessions/logout.ts' }],
  'engine-direction-of-refusals': [
    { from: 'src/oidc/engine/refusals/sideways.ts', to: 'src/oidc/engine/sessions/logout.ts' },
    { from: 'src/oidc/engine/trials/reaches-up.ts', to: 'src/oidc/engine/launch-record.ts' },
  ],
  'model-stands-alone': [
    { from: 'test/model/decision/scopes.ts', to: 'src/contract/rules/scopes/smart-scope.ts' },
    { from: 'test/model/decision/decide.ts', to: 'test/support/fhir/gateway.ts' },
  ],
  'test-of-a-module': [
    { from: 'test/protocol/login.test.ts', to: 'test/support/portal/portal.ts' },
    { from: 'test/loose.test.ts', to: 'test/support/portal/portal.ts' },
  ],
  'test-folders-as-in-module': [
    { from: 'test/oidc/helpers/login.test.ts', to: 'test/support/portal/portal.ts' },
    { from: 'test/oidc/tokens/more/login.test.ts', to: 'test/support/portal/portal.ts' },
  ],
  'engine-in-one-folder': [
    { from: 'src/oidc-store/infrastructure/adapter.ts', to: 'oidc-provider' },
    { from: 'src/oidc/application/uses-engine.ts', to: 'oidc-provider', statement: 'import type' },
    { from: 'src/session/infrastructure/engine.ts', to: 'oidc-provider', statement: 'import type' },
    { from: 'src/app.setup.ts', to: 'oidc-provider' },
  ],
  'platform-imports-no-module': [{ from: 'src/platform/audit.ts', to: 'src/users/application/user-directory.ts' }],
  'nothing-imports-the-start': [{ from: 'src/platform/restart.ts', to: 'src/app.module.ts' }],
  contract: [
    { from: 'src/contract/uses-platform.ts', to: 'src/platform/errors.ts' },
    { from: 'src/contract/uses-package.ts', to: 'zod' },
  ],
  'contract-rules-are-pure': [
    { from: 'src/contract/rules/uses-node.ts', to: 'node:crypto' },
    { from: 'src/contract/rules/uses-package.ts', to: 'class-validator' },
  ],
  'contract-rules-take-types': [{ from: 'src/contract/rules/uses-request.ts', to: 'src/contract/users.ts' }],
  'contract-rules-of-all-below-the-others': [
    { from: 'src/contract/rules/uses-form.ts', to: 'src/contract/rules/users/names.ts' },
    { from: 'src/contract/rules/uses-type.ts', to: 'src/contract/session.ts', statement: 'import type' },
  ],
  'migrations-stand-alone': [{ from: 'migrations/1-first.ts', to: 'src/users/domain/user.ts' }],
  'client-knows-the-contract-only': [{ from: 'client/src/api/uses-domain.ts', to: 'src/users/domain/user.ts' }],
  'client-takes-the-contract-as-types': [{ from: 'client/src/api/runs-request.ts', to: 'src/contract/users.ts' }],
  'client-loads-texts-of-rules-only': [
    { from: 'client/src/api/loads-refusals.ts', to: 'src/contract/messages/refusals.en.ts' },
    { from: 'client/src/api/loads-catalogue.ts', to: 'src/contract/messages/catalogue.ts' },
  ],
  'client-shared': [
    { from: 'client/src/shared/uses-api.ts', to: 'client/src/api/users/users.ts' },
    { from: 'client/src/shared/uses-feature.ts', to: 'client/src/features/login/page.tsx' },
  ],
  'client-shared-below-browser': [
    { from: 'client/src/shared/drafts/early.ts', to: 'client/src/shared/browser/sign-out.ts' },
    { from: 'client/src/shared/notices.ts', to: 'client/src/shared/browser/sign-out.ts' },
  ],
  'client-api': [{ from: 'client/src/api/uses-feature.ts', to: 'client/src/features/login/page.tsx' }],
  'client-features-below-app': [{ from: 'client/src/features/login/reaches-up.ts', to: 'client/src/app/routes.tsx' }],
  'client-features-apart': [
    { from: 'client/src/features/login/uses-neighbour.ts', to: 'client/src/features/consent/page.tsx' },
    { from: 'client/src/features/two-factor/uses-neighbour.ts', to: 'client/src/features/login/page.tsx' },
  ],
  'server-without-client': [{ from: 'src/platform/pages.ts', to: 'client/src/app/routes.tsx' }],
  'product-alone': [
    { from: 'src/platform/shortcut.ts', to: 'demo/demo-accounts.js' },
    { from: 'client/src/app/shortcut.ts', to: 'test/support/portal/portal.ts' },
  ],
  'kit-alone': [{ from: 'kit/lib/shortcut.js', to: 'src/platform/errors.ts' }],
  'no-development-packages': [{ from: 'src/platform/compiler.ts', to: 'typescript' }],
  // Installed only as a dependency of other packages.
  'no-undeclared-packages': [{ from: 'src/platform/borrowed.ts', to: 'jest-util' }],
  'no-unresolvable': [{ from: 'src/platform/typo.ts', to: './nowhere.js' }],
  // Reported once, at the first file; an import of a type counts.
  'no-cycles': [{ from: 'src/users/domain/egg.ts', to: 'src/users/domain/hen.ts', statement: 'import type' }],
};
const otherHalfOfCycle: Import = { from: 'src/users/domain/hen.ts', to: 'src/users/domain/egg.ts' };
const orphan = 'src/users/domain/left-over.ts';

const allowed: Import[] = [
  { from: 'src/users/domain/user.ts', to: 'src/platform/errors.ts' },
  { from: 'src/users/domain/user.ts', to: 'src/contract/users.ts' },
  { from: 'src/users/domain/user.ts', to: 'node:crypto' },
  { from: 'src/users/application/user-directory.ts', to: 'src/users/domain/user.ts' },
  { from: 'src/users/application/user-directory.ts', to: 'src/tags/application/tagging.ts' },
  { from: 'src/users/application/user-directory.ts', to: 'src/platform/logging/log.ts' },
  { from: 'src/users/infrastructure/typeorm-users.ts', to: 'src/users/domain/user.ts' },
  { from: 'src/users/infrastructure/typeorm-users.ts', to: 'typeorm' },
  { from: 'src/users/http/users.controller.ts', to: 'src/users/application/user-directory.ts' },
  { from: 'src/users/http/users.controller.ts', to: 'src/platform/http/access.ts' },
  { from: 'src/users/http/users.controller.ts', to: 'express', statement: 'import type' },
  { from: 'src/tags/tags.module.ts', to: 'src/tags/infrastructure/typeorm-tags.ts' },
  { from: 'src/clients/clients.module.ts', to: 'src/tags/tags.module.ts' },
  { from: 'src/users/application/revokes.ts', to: 'src/oidc-store/infrastructure/revocations.ts' },
  { from: 'src/users/infrastructure/lists.ts', to: 'src/platform/database/paged-search.ts' },
  {
    from: 'src/gateway/application/access/limited-access.ts',
    to: 'src/gateway/application/server/server-exchange.ts',
  },
  { from: 'src/gateway/application/fhir-gateway.ts', to: 'src/gateway/application/audit/access-audit.ts' },
  { from: 'src/oidc/engine/clients/client-metadata.ts', to: 'oidc-provider' },
  { from: 'src/oidc/application/interactions.ts', to: 'src/oidc/engine/clients/client-metadata.ts' },
  { from: 'src/consent/application/offer.ts', to: 'src/oidc/domain/launch.ts' },
  { from: 'src/app.module.ts', to: 'src/users/users.module.ts' },
  { from: 'src/contract/users.ts', to: 'src/contract/rules/users/email.ts' },
  { from: 'src/contract/users.ts', to: 'class-validator' },
  { from: 'src/contract/rules/users/name.ts', to: 'src/contract/session.ts', statement: 'import type' },
  { from: 'client/src/api/users/users.ts', to: 'src/contract/users.ts', statement: 'import type' },
  { from: 'client/src/features/login/page.tsx', to: 'src/contract/rules/users/email.ts' },
  { from: 'client/src/features/login/page.tsx', to: 'client/src/api/users/users.ts' },
  { from: 'client/src/features/login/page.tsx', to: 'client/src/shared/i18n/dates.ts' },
  { from: 'client/src/features/login/page.tsx', to: 'react' },
  { from: 'client/src/app/routes.tsx', to: 'client/src/features/login/page.tsx' },
  { from: 'test/support/portal/portal.ts', to: 'src/app.module.ts' },
  { from: 'test/oidc-store/reuse.test.ts', to: 'src/platform/errors.ts' },
  { from: 'test/gateway/access/limits.test.ts', to: 'src/gateway/application/access/limited-access.ts' },
];

const root = process.cwd();
const configuration = join(root, '.dependency-cruiser.cjs');

describe('the import rules', () => {
  let tree: string;
  let found: Violation[];

  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), 'gatehouse-imports-'));
    for (const file of ['package.json', 'tsconfig.json']) copyFileSync(join(root, file), join(tree, file));
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
    plant(tree, [...Object.values(violations).flat(), otherHalfOfCycle, ...allowed]);
    found = cruise(tree);
  });
  afterAll(() => rmSync(tree, { recursive: true }));

  const rules: string[] = createRequire(import.meta.url)(configuration).forbidden.map(
    (rule: Violation['rule']) => rule.name,
  );

  test.each(rules.filter((rule) => rule !== 'no-orphans'))('%s: each planted violation is caught', (rule) => {
    expect(violations[rule]).toBeDefined();
    const caught = found.filter((violation) => violation.rule.name === rule);
    for (const { from, to } of violations[rule] ?? []) {
      expect(caught.map((violation) => `${violation.from} → ${shortened(violation.to)}`)).toContain(
        `${from} → ${to.replace('node:', '')}`,
      );
    }
  });

  test('no-orphans: a file that no other file imports is caught', () => {
    const caught = found.filter((violation) => violation.rule.name === 'no-orphans');
    expect(caught.map((violation) => violation.from)).toEqual([orphan]);
  });

  test.each(allowed)('$from may import $to', ({ from, to }) => {
    const caught = found.filter(
      (violation) => violation.from === from && shortened(violation.to) === to.replace('node:', ''),
    );
    expect(caught).toEqual([]);
  });
});

/** Writes each file of the list, with its imports. */
function plant(tree: string, imports: Import[]): void {
  const sources = new Map<string, string>([[orphan, '']]);
  for (const { from, to, statement = 'import' } of imports) {
    if (isFile(to) && !sources.has(to)) sources.set(to, '');
    const path = isFile(to) ? relative(dirname(from), to).replace(/\.tsx?$/, '.js') : to;
    const specifier = isFile(to) && !path.startsWith('.') ? `./${path}` : path;
    sources.set(from, `${sources.get(from) ?? ''}${statement} { used } from '${specifier}';\nused;\n`);
  }
  for (const [file, source] of sources) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), `${source}export const used = true;\n`);
  }
}

function isFile(target: string): boolean {
  return /^(src|client|migrations|demo|kit|test)\//.test(target);
}

function cruise(tree: string): Violation[] {
  const folders = ['src', 'client/src', 'migrations', 'demo', 'kit', 'test'].filter((folder) =>
    existsSync(join(tree, folder)),
  );
  const cli = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const output = execFileSync(process.execPath, [cli, '--config', configuration, '--output-type', 'json', ...folders], {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(output).summary.violations;
}

/** The name of a package, without its path in node_modules. */
function shortened(target: string): string {
  return /node_modules\/(?:@types\/)?((?:@[^/]+\/)?[^/]+)/.exec(target)?.[1] ?? target;
}
