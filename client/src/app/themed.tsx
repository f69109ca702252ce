import { LoadingOutlined } from '@ant-design/icons';
import { ConfigProvider } from 'antd';
import { type ReactNode, useLayoutEffect, useMemo } from 'react';
import { useMedia } from '../shared/browser/use-media.js';
import { direction } from '../shared/i18n/language.js';
import { applyAccent } from '../shared/ui/accent.js';
import { type Density, themeClass } from './density.js';
import { NoticeBar } from './notice-bar.js';

/** Ant Design's own one has a name in English. */
const loadingIcon = <LoadingOutlined aria-hidden />;

/** The theme around a shell, in the colour scheme of the system, and the notification bar. */
export function Themed({
  density,
  accent,
  children,
}: {
  density: Density;
  accent: string | null;
  children: ReactNode;
}) {
  const mode = useMedia('(prefers-color-scheme: dark)') ? 'dark' : 'light';
  const motion = !useMedia('(prefers-reduced-motion: reduce)');
  const name = themeClass(density);
  const theme = useMemo(() => ({ zeroRuntime: true, token: { motion }, cssVar: { key: name } }), [motion, name]);
  useLayoutEffect(() => applyAccent(accent, mode), [accent, mode]);
  // The server's placeholder in the document (src/portal/application/preload-links.ts).
  useLayoutEffect(() => document.querySelector('.early')?.remove(), []);
  return (
    <ConfigProvider
      wave={{ disabled: true }}
      theme={theme}
      direction={direction()}
      form={{ requiredMark: false }}
      button={{ autoInsertSpace: false, loadingIcon }}
    >
      <div className={`portal ${name}`}>
        <NoticeBar className={name} />
        {children}
      </div>
    </ConfigProvider>
  );
}
