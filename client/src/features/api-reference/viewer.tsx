import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styleSheet from 'swagger-ui-dist/swagger-ui.css?url';
import { useMedia } from '../../shared/browser/use-media.js';
import { wantedChunk } from '../../shared/loading/chunk.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import styles from './api-reference.module.css';

/**
 * Swagger UI, loaded with its style sheet when it is shown. It has a React of its own, so it lives in an element of its
 * own.
 */
export function Viewer({ address, onFailure }: { address: string; onFailure: () => void }) {
  const { t } = useTranslation();
  const place = useRef<HTMLDivElement>(null);
  const [isShown, setShown] = useState(false);
  const isSlow = useSlow(!isShown);
  const failed = useRef(onFailure);
  failed.current = onFailure;
  useDarkClass();
  useEffect(() => {
    let isGone = false;
    const show = async () => {
      const [description, { default: SwaggerUI }] = await Promise.all([
        fetch(address).then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(answer.statusText)))),
        wantedChunk(() => import('swagger-ui-dist/swagger-ui-es-bundle.js')),
        wantedChunk(addStyleSheet),
      ]);
      if (isGone) return;
      SwaggerUI({
        spec: description,
        domNode: place.current,
        // Calls would be made with the session of the administrator, on a portal in use.
        supportedSubmitMethods: [],
        docExpansion: 'none',
        defaultModelsExpandDepth: -1,
        // Limits such as maxLength next to each member.
        showCommonExtensions: true,
        filter: true,
        layout: 'Operations',
        plugins: [operationsAlone],
      });
      setShown(true);
    };
    show().catch(() => isGone || failed.current());
    return () => {
      isGone = true;
    };
  }, [address]);
  return (
    <>
      {isSlow && (
        <div role="status" aria-label={t('common.loading')}>
          <Skeleton width="100%" height={48} />
        </div>
      )}
      <div ref={place} lang="en" dir="ltr" className={styles.viewer} />
    </>
  );
}

/** Its own frame has a second `main`, and repeats the head of the page. */
function operationsAlone({ React }: SwaggerSystem) {
  function Operations({ getComponent }: SwaggerParts) {
    const parts = [getComponent('SvgAssets'), getComponent('FilterContainer', true), getComponent('operations', true)];
    return React.createElement('div', { className: 'swagger-ui' }, ...parts.map((part) => React.createElement(part)));
  }
  return { components: { Operations } };
}

function addStyleSheet(): Promise<void> {
  if (document.querySelector(`link[href="${styleSheet}"]`)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = styleSheet;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error('The style sheet cannot be loaded'));
    };
    document.head.append(link);
  });
}

/** Its dark colors depend on a class of the document. */
function useDarkClass(): void {
  const isDark = useMedia('(prefers-color-scheme: dark)');
  useEffect(() => {
    document.documentElement.classList.toggle('dark-mode', isDark);
    return () => document.documentElement.classList.remove('dark-mode');
  }, [isDark]);
}
