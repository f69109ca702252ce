import DOMPurify from 'dompurify';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import styles from './rich-text.module.css';

/**
 * A deployer's HTML. The server has sanitised it, by a list of what is allowed; here it is done once more by the parser
 * that will show it, because two parsers may read the same text differently (security L-01).
 */
export function RichText({
  html,
  label,
  container,
}: {
  html: string;
  /** Names it: it scrolls, and so has to be reached by keyboard. */
  label: string;
  container: RefObject<HTMLElement | null>;
}) {
  const text = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const fragment = DOMPurify.sanitize(html, {
      USE_PROFILES: { html: true },
      FORBID_TAGS: ['style', 'img', 'picture', 'video', 'audio', 'form', 'input', 'button', 'textarea', 'select'],
      FORBID_ATTR: ['style', 'id', 'name', 'class'],
      ADD_ATTR: ['target'],
      RETURN_DOM_FRAGMENT: true,
    });
    text.current?.replaceChildren(fragment);
  }, [html]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be scrolled by keyboard, too
    <section ref={container} className={styles.scroll} aria-label={label} tabIndex={0}>
      <div ref={text} className={styles.text} />
    </section>
  );
}
