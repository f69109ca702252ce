import { createRequire } from 'node:module';
import type { Plugin } from 'vite';

/** Imported by this name. */
const name = 'virtual:antd.css';

/** The components that have a part in the style sheet, and what is imported besides them. */
const covered = [
  ...['Button', 'Checkbox', 'Dropdown', 'Form', 'Input', 'Modal', 'Progress', 'QRCode', 'Radio', 'Segmented', 'Switch'],
  ...['Tooltip', 'message', 'ConfigProvider', 'theme'],
];

/**
 * The styles of the Ant Design components that this application uses, as a style sheet. Made in the browser, while a page is
 * shown, they cost a phone a good part of a second. They are the same in every theme, which only sets their variables.
 */
export function antdStyles(): Plugin {
  return {
    name: 'gatehouse:antd-styles',
    enforce: 'pre',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id === `\0${name}`) return styles();
      return undefined;
    },
    transform(code, id) {
      if (/antd\/es\/.*\/style\//.test(id)) return withoutMaking(code, this.parse(code));
      if (!id.includes('/client/src/')) return;
      for (const [, imported = ''] of code.matchAll(/import \{([^}]*)\} from 'antd'/g)) {
        const names = imported.split(',').map((one) => one.trim().split(' as ')[0] ?? '');
        const others = names.filter((one) => one !== '' && !one.startsWith('type ') && !covered.includes(one));
        if (others.length > 0) this.error(`${others.join(', ')}: not among the styles of client/antd-styles.ts`);
      }
    },
  };
}

interface Node {
  type: string;
  start: number;
  end: number;
}

/** A module that makes styles, by `genStyleHooks(name, make, …)`, without the making, which the style sheet has in its place. */
function withoutMaking(code: string, program: object): string {
  const makers = calls(program)
    .filter(({ callee }) => ['genStyleHooks', 'genSubStyleComponent'].includes(callee.name ?? ''))
    .flatMap(({ arguments: [, make] }) => make ?? [])
    .toSorted((one, other) => other.start - one.start);
  return makers.reduce((rest, { start, end }) => `${rest.slice(0, start)}() => []${rest.slice(end)}`, code);
}

function calls(node: unknown): { callee: { name?: string }; arguments: Node[] }[] {
  if (typeof node !== 'object' || node === null) return [];
  const within = Object.values(node).flatMap(calls);
  return (node as Node).type === 'CallExpression' ? [node as never, ...within] : within;
}

function styles(): string {
  // All by one system of modules, so that styles are collected by the same copy that the components use.
  const require = createRequire(import.meta.url);
  const { createElement: h } = require('react') as typeof import('react');
  const { renderToString } = require('react-dom/server') as typeof import('react-dom/server');
  const cssinjs = require('@ant-design/cssinjs') as typeof import('@ant-design/cssinjs');
  const antd = require('antd') as typeof import('antd');
  const { Button, Checkbox, ConfigProvider, Dropdown, Form, Input, message, Modal, Progress, QRCode, Radio } = antd;
  const { Segmented, Switch, Tooltip } = antd;
  const menu = { items: [{ key: 'x', label: 'x' }] };
  // Overlays are not rendered outside of a browser; Ant Design's own documentation shows them by these components.
  const [DropdownPanel, MessagePanel, ModalPanel, TooltipPanel] = [Dropdown, message, Modal, Tooltip].map(
    ({ _InternalPanelDoNotUseOrYouWillBeFired: Panel }) => Panel as React.ComponentType<object>,
  );
  const cache = cssinjs.createCache();
  const elements = [
    h(Button, { loading: true }),
    h(Checkbox.Group, { options: ['x'] }),
    h(Form, null, h(Form.Item, { label: 'x', help: 'x' }, h(Input.Password))),
    h(Input.TextArea),
    h(Progress),
    h(QRCode, { value: 'x' }),
    h(Radio.Group, { options: ['x'] }),
    h(Segmented, { options: ['x'] }),
    h(Switch),
    h(DropdownPanel ?? 'i', { menu } as object),
    h(MessagePanel ?? 'i', { type: 'info' } as object),
    h(ModalPanel ?? 'i'),
    h(TooltipPanel ?? 'i'),
  ];
  renderToString(h(cssinjs.StyleProvider, { cache }, h(ConfigProvider, { theme: { hashed: false } }, ...elements)));
  // Shared styles, which would apply to every link of the document, are left out.
  for (const key of cache.cache.keys()) if (key.startsWith('style%%Shared%')) cache.cache.delete(key);
  return cssinjs
    .extractStyle(cache, { plain: true, types: 'style' })
    .replace(/\.data-ant-cssinjs-cache-path\{[^}]*\}/, '');
}
