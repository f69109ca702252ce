import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ThemeConfig } from 'antd';
import type { Plugin, Rolldown } from 'vite';
import { variablesSheet } from './antd-variables.js';
import { portalTheme } from './src/app/theme.js';
import { petrol } from './src/shared/ui/accent.js';

/** Imported by this name. */
const name = 'virtual:antd.css';
const valuesName = 'virtual:antd-values';
/** What the browser has in place of the modules that derive a theme and make styles. */
const runtime = join(import.meta.dirname, 'src', 'app', 'antd-theme.ts');

const ofTheme = ['internal', 'context', 'util/genStyleUtils'];
const parts: Record<string, string> = {
  useToken: `export { useToken as default } from ${JSON.stringify(runtime)};`,
  'themes/seed': 'export default {};',
};

/** The components that have a part in the style sheet, and what is imported besides them. */
const covered = [
  ...['Button', 'Checkbox', 'Dropdown', 'Form', 'Input', 'Modal', 'QRCode', 'Radio', 'Segmented', 'Switch'],
  ...['Tooltip', 'ConfigProvider', 'theme'],
];

/** Values of the theme that components calculate with, which are the same in all of its variants. */
const screens = ['XS', 'SM', 'MD', 'LG', 'XL', 'XXL', 'XXXL'];
const values = [
  ...['zIndexPopupBase', 'marginXXS', 'sizePopupArrow', 'borderRadius'],
  ...screens.flatMap((size) => ['', 'Min', 'Max'].map((end) => `screen${size}${end}`)),
];
/** Default values of properties that are always given. */
const given = ['colorText'];

/**
 * The styles of the Ant Design components that this application uses, and the theme's variables, as a style sheet. Made
 * in the browser, while a page is shown, they cost a phone a good part of a second, and the code for it 20 kB.
 */
export function antdStyles(): Plugin {
  return {
    name: 'gatehouse:antd-styles',
    enforce: 'pre',
    resolveId(id, importer = '') {
      if (id === name || id === valuesName) return `\0${id}`;
      if (!/\/antd\/es\//.test(importer)) return undefined;
      const [, module = ''] = /^(?:\.\.\/)+theme\/(.+)$/.exec(id) ?? [];
      if (Object.hasOwn(parts, module)) return `\0${name}/${module}`;
      return ofTheme.includes(module) || id === '@ant-design/cssinjs' ? runtime : undefined;
    },
    load(id) {
      if (id === `\0${name}`) return sheet();
      if (id === `\0${valuesName}`) return `export default ${JSON.stringify(sharedValues())}`;
      return id.startsWith(`\0${name}/`) ? parts[id.slice(name.length + 2)] : undefined;
    },
    transform(code, id) {
      if (/antd\/es\/.+\/style\//.test(id)) return withoutMaking(code, this.parse(code));
      if (/antd\/es\/(?!style\/)/.test(id)) {
        const unknown = Array.from(code.matchAll(/\btoken\.(\w+)/g), ([, value = '']) => value).filter(
          (value) => ![...values, ...given].includes(value),
        );
        if (unknown.length > 0)
          this.error(`${id} uses ${unknown.join(', ')}, not among the values of client/antd-styles.ts`);
      }
      if (!id.includes('/client/src/')) return;
      const look = /\bvariant="(?:filled|borderless|underlined)"/.exec(code);
      if (look) this.error(`${look[0]}: not among the styles of client/antd-styles.ts`);
      for (const [, imported = ''] of code.matchAll(/import \{([^}]*)\} from 'antd'/g)) {
        const names = imported.split(',').map((one) => one.trim().split(' as ')[0] ?? '');
        const others = names.filter((one) => one !== '' && !one.startsWith('type ') && !covered.includes(one));
        if (others.length > 0) this.error(`${others.join(', ')}: not among the styles of client/antd-styles.ts`);
      }
    },
  };
}

type Program = ReturnType<Rolldown.PluginContext['parse']>;
type Exported = Extract<Program['body'][number], { type: 'ExportDefaultDeclaration' }>['declaration'];

/**
 * A module that makes styles, by `genStyleHooks(name, make, …)`: the hooks that components call, without the making.
 */
function withoutMaking(code: string, program: Program): string {
  const hook = (node: Exported | null) =>
    node?.type === 'CallExpression' && node.callee.type === 'Identifier' && hooks.includes(node.callee.name)
      ? `${node.callee.name}()`
      : undefined;
  const kept = program.body.flatMap((node) => {
    if (node.type === 'ExportDefaultDeclaration') {
      const { type, start, end } = node.declaration;
      // A function that makes the hook in every call, which has the same use.
      const made =
        type === 'ArrowFunctionExpression' && code.slice(start, end).includes('genStyleHooks(')
          ? 'genStyleHooks()'
          : hook(node.declaration);
      return made ? [`export default ${made};`] : [];
    }
    if (node.type !== 'ExportNamedDeclaration') return [];
    if (node.source) return [code.slice(node.start, node.end)];
    if (node.declaration?.type !== 'VariableDeclaration') return [];
    return node.declaration.declarations.flatMap(({ id, init }) => {
      const value = init?.type === 'Literal' ? init.raw : hook(init);
      return id.type === 'Identifier' && value ? [`export const ${id.name} = ${value};`] : [];
    });
  });
  return [`import { ${hooks.join(', ')} } from ${JSON.stringify(runtime)};`, ...kept].join('\n');
}

const hooks = ['genStyleHooks', 'genSubStyleComponent', 'genComponentStyleHook'];

// All by one system of modules, so that styles are collected by the same copy that the components use.
const require = createRequire(import.meta.url);

function sharedValues(): Record<string, unknown> {
  const { theme } = require('antd') as typeof import('antd');
  const choices = (['user', 'admin'] as const).map((density) =>
    theme.getDesignToken(portalTheme({ mode: 'light', density, accents: petrol.light, motion: true })),
  );
  const [user, admin] = choices.map((token) => new Map(Object.entries(token)));
  const different = values.filter((value) => user?.get(value) !== admin?.get(value));
  if (different.length > 0) throw new Error(`not the same in all variants of the theme: ${different.join(', ')}`);
  return Object.fromEntries(values.map((value) => [value, user?.get(value)]));
}

/** Columns of a grid, of which forms use the plain one alone, and looks of fields that no page has. */
const unused =
  /\.ant-(?:col-(?:[a-z]+-)?\d|col-[a-z]+-(?:order|pull|push|offset)|[a-z]+-(?:filled|borderless|underlined)\b)/;

/** The sheet without the selectors that are not used, and rules of which none is left. */
const pruned = (sheet: string) =>
  sheet.replaceAll(/([^{}]+)(\{[^{}]*\})/g, (rule, selectors: string, values: string) => {
    if (!unused.test(selectors) || selectors.includes('(')) return rule;
    const used = selectors.split(',').filter((selector) => !unused.test(selector));
    return used.length === 0 ? '' : used.join() + values;
  });

/** The style sheet of the components, and before it the variables of the theme. */
function sheet(): string {
  const styles = pruned(
    extracted({ hashed: false }, ['style'])
      // Where each class is in the cache, for a browser that makes styles.
      .replace(/\.data-ant-cssinjs-cache-path\{[^}]*\}/, ''),
  );
  return variablesSheet(styles, (theme) => extracted(theme, ['token', 'cssVar'])) + styles;
}

function extracted(theme: ThemeConfig, types: ('style' | 'token' | 'cssVar')[]): string {
  const { createElement: h } = require('react') as typeof import('react');
  const { renderToString } = require('react-dom/server') as typeof import('react-dom/server');
  const cssinjs = require('@ant-design/cssinjs') as typeof import('@ant-design/cssinjs');
  const antd = require('antd') as typeof import('antd');
  const { Button, Checkbox, ConfigProvider, Dropdown, Form, Input, Modal, QRCode, Radio } = antd;
  const { Segmented, Switch, Tooltip } = antd;
  const menu = { items: [{ key: 'x', label: 'x' }] };
  // Overlays are not rendered outside of a browser; Ant Design's own documentation shows them by these components.
  const [DropdownPanel, ModalPanel, TooltipPanel] = [Dropdown, Modal, Tooltip].map(
    ({ _InternalPanelDoNotUseOrYouWillBeFired: Panel }) => Panel as React.ComponentType<object>,
  );
  const cache = cssinjs.createCache();
  const elements = [
    h(Button, { loading: true }),
    h(Checkbox.Group, { options: ['x'] }),
    h(Form, null, h(Form.Item, { label: 'x', help: 'x' }, h(Input.Password))),
    h(Input.TextArea),
    h(QRCode, { value: 'x' }),
    h(Radio.Group, { options: ['x'] }),
    h(Segmented, { options: ['x'] }),
    h(Switch),
    h(DropdownPanel ?? 'i', { menu } as object),
    h(ModalPanel ?? 'i'),
    h(TooltipPanel ?? 'i'),
  ];
  renderToString(h(cssinjs.StyleProvider, { cache }, h(ConfigProvider, { theme }, ...elements)));
  // Shared styles, which would apply to every link of the document, are left out.
  for (const key of cache.cache.keys()) if (key.startsWith('style%%Shared%')) cache.cache.delete(key);
  return cssinjs.extractStyle(cache, { plain: true, types });
}
