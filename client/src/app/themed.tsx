import { StyleProvider } from '@ant-design/cssinjs';
import { ConfigProvider, message } from 'antd';
import { type ReactNode, useEffect, useLayoutEffect, useMemo } from 'react';
import { useMedia } from '../shared/browser/use-media.js';
import { direction } from '../shared/i18n/language.js';
import { noticeDuration, onNotice } from '../shared/notices.js';
import { type Density, portalTheme } from './theme.js';

/** The nonce of this answer's Content-Security-Policy, for the style elements that Ant Design adds. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

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
  const theme = useMemo(() => portalTheme({ mode, density, accent, motion }), [mode, density, accent, motion]);
  // The server's placeholder in the document (src/portal/application/preload-links.ts).
  useLayoutEffect(() => document.querySelector('.early')?.remove(), []);
  return (
    <StyleProvider>
      <ConfigProvider
        wave={{ disabled: true }}
        theme={theme}
        csp={{ nonce }}
        direction={direction()}
        form={{ requiredMark: false }}
        button={{ autoInsertSpace: false }}
      >
        <div className={`portal ${theme.cssVar.key}`}>
          <NotificationBar />
          {children}
        </div>
      </ConfigProvider>
    </StyleProvider>
  );
}

/** At the top, in the centre. Ant Design's `App` would bring its other notices and dialogs along to the sign-in page. */
function NotificationBar() {
  const [bar, holder] = message.useMessage({ duration: noticeDuration, maxCount: 3, top: 16 });
  useEffect(() => onNotice(({ id, type, text }) => void bar.open({ key: id, type, content: text })), [bar]);
  return holder;
}
