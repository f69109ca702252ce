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
 * A component that opens over a page, in a chunk of its own: no page has to wait for it in order to be shown. The chunk
 * is loaded after the page, so that it is usually there when it is opened; if it cannot be loaded, a notice says so and
 * nothing opens. Once opened it stays mounted, so that its closing can be animated. One that is seldom opened is loaded
 * only then.
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
