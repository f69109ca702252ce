import { join } from 'node:path';
import type { Plugin } from 'vite';

const passesChildren = 'export default ({ children }) => children ?? null;';

const div = (name: string) =>
  `import { createElement } from 'react'; import { clsx } from 'clsx';
  export default ({ className, ...props }) => createElement('div', { ...props, className: clsx('${name}', className) });`;

/** Modules of Ant Design that nothing here uses but that used modules import, and the code in their place. */
const replaced: Record<string, string> = {
  // Tooltips that share one bubble.
  'tooltip/UniqueProvider': passesChildren,
  // The wave around a pressed button, which the theme turns off.
  '_util/wave': passesChildren,
  // A form without columns.
  grid: "export { default as Row } from './row.js'; export { default as Col } from './col.js';",
  'grid/row': div('ant-row'),
  'grid/col': div('ant-col'),
  // Texts of its own: the application gives each text.
  'locale/en_US': "export default { locale: 'en', Form: {}, Modal: {} };",
  // The input alone. A text area is imported from its own module.
  input: "export { default } from './Input.js';",
  // The checkbox alone. A group of them is imported from its own module.
  checkbox: "export { default } from './Checkbox.js';",
};

/** The validator of rules. */
const rules = join(import.meta.dirname, 'src', 'app', 'antd-rules.ts');

/** The tooltip of a form item's label brings along all that opens next to something else. */
const labelTooltip = '\0gatehouse:label-tooltip';

/**
 * Leaves out parts of Ant Design that every sign-in page would load and none uses; the build fails if one is used. The
 * other parts are imported from their own modules, so that `chunks.ts` can see which page needs them.
 */
export function libraryParts(): Plugin {
  return {
    name: 'gatehouse:library-parts',
    apply: 'build',
    enforce: 'pre',
    resolveId(id, importer = '') {
      if (id === '../tooltip' && importer.endsWith('/antd/es/form/FormItemLabel.js')) return labelTooltip;
      if (id === '@rc-component/async-validator') return rules;
      // Of the library of forms, a checkbox without one needs the context alone.
      const context = id === '@rc-component/form' && importer.endsWith('/antd/es/form/context.js');
      return context ? this.resolve('@rc-component/form/es/FormContext', importer) : undefined;
    },
    load(id) {
      if (id === labelTooltip) return passesChildren;
      const [, part = ''] = /\/antd\/es\/(.+?)(?:\/index)?\.js$/.exec(id) ?? [];
      return Object.hasOwn(replaced, part) ? replaced[part] : undefined;
    },
    transform(code, id) {
      if (!id.includes('/client/src/')) return undefined;
      const used =
        /<(?:(?:Input|Checkbox)\.[A-Z]\w*|Form\.Item\b[^>]*?\stooltip=)|\s(?:label|wrapper)Col=/.exec(code) ??
        /\brules=\{\[\{[^}]*\b(?:pattern|type|len|min|max|enum|transform|defaultField):/.exec(code);
      if (used) this.error(`${used[0]}: left out by client/library-parts.ts`);
      return code
        .replace(/import \{([^}]*)\} from 'antd';/g, (_, names) => imports(names, 'antd/es', folderOf))
        .replace(/import \{([^}]*)\} from '(@ant-design\/icons)';/g, (_, names, icons) =>
          imports(names, `${icons}/es/icons`, (icon) => icon),
        );
    },
  };
}

/** `import { Button, theme as antd }` as an import from each one's own module; types are left out. */
function imports(names: string, from: string, fileOf: (name: string) => string): string {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.split(' as '))
    .map(([name = '', local = name]) => `import ${local} from '${from}/${fileOf(name)}';`)
    .join(' ');
}

/** `QRCode` is in `qr-code`. */
const folderOf = (component: string) =>
  component.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase();
