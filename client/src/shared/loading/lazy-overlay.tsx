import { type ComponentType, createElement, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/i18n.js';
import { notify } from '../notices.js';
import { wantedChunk } from './chunk.js';
import { useIdle } from './use-idle.js';

interface Openable {
  open: boolean;
  onClose?: () => void;
}

/**
 * A component that opens over a page, in a chunk of its own: no page has to wait for it in order to be shown. The chunk is
 * loaded once the page stands, so that it is most likely there when it is wanted; if it cannot be had by then, that is told
 * and nothing opens. Once opened it stays, closed, so that it can go in its own way. One that is seldom opened is loaded only
 * then.
 */
export function lazyOverlay<Props extends Openable>(
  load: () => Promise<ComponentType<Props>>,
  { seldom = false } = {},
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined;
  return function Later(props: Props) {
    const { open, onClose } = props;
    const [isLoaded, setLoaded] = useState(Loaded !== undefined);
    const isIdle = useIdle();
    const wanted = open || (isIdle && !seldom);
    const opened = useRef(false);
    opened.current ||= open;

    // biome-ignore lint/correctness/useExhaustiveDependencies: a new onClose must not load the chunk again
    useEffect(() => {
      if (isLoaded || !wanted) return;
      (open ? wantedChunk(load) : load()).then(
        (component) => {
          Loaded = component;
          setLoaded(true);
        },
        () => {
          if (!open) return;
          notify('error', t('errors.generic'));
          onClose?.();
        },
      );
    }, [isLoaded, wanted, open]);

    return Loaded && isLoaded && opened.current ? createElement(Loaded, props) : null;
  };
}
