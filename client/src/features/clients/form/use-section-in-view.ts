import { type RefObject, useEffect, useRef, useState } from 'react';
import type { ClientSection } from '../../../../../src/contract/rules/clients/client-fields.js';

/** A section is in view once its heading is in the first part of the window. */
const part = 0.3;

/**
 * The section in view, as the content scrolls. One that the user has gone to, or that has the focus, stays marked until
 * the user scrolls: the last ones may be too short to reach the top.
 */
export function useSectionInView(content: RefObject<HTMLElement | null>, sections: readonly ClientSection[]) {
  const [current, setCurrent] = useState<ClientSection>();
  const held = useRef(false);
  const latest = useRef(sections);
  latest.current = sections;
  useEffect(() => {
    const place = content.current;
    if (!place) return;
    const see = () => {
      if (!held.current) setCurrent(sectionInView(place, latest.current));
    };
    const release = () => {
      held.current = false;
    };
    const follow = ({ target }: FocusEvent) => {
      const section = target instanceof Element ? target.closest('section')?.getAttribute('data-section') : undefined;
      if (!section || !place.contains(target as Node)) return;
      held.current = true;
      setCurrent(section as ClientSection);
    };
    // Either the content scrolls or, in a low window, the sheet around it.
    window.addEventListener('scroll', see, { capture: true, passive: true });
    for (const event of ['wheel', 'touchmove'] as const) place.addEventListener(event, release, { passive: true });
    place.addEventListener('focusin', follow);
    see();
    return () => {
      window.removeEventListener('scroll', see, { capture: true });
      for (const event of ['wheel', 'touchmove'] as const) place.removeEventListener(event, release);
      place.removeEventListener('focusin', follow);
    };
  }, [content]);
  const known = current !== undefined && sections.includes(current) ? current : sections[0];
  return {
    current: known ?? 'General Information',
    /** Takes the focus to its heading. */
    go: (section: ClientSection) => {
      held.current = true;
      setCurrent(section);
      const heading = headingOf(content.current, section);
      heading?.scrollIntoView({ block: 'start' });
      heading?.focus({ preventScroll: true });
    },
  };
}

const headingOf = (place: HTMLElement | null, section: ClientSection) =>
  place?.querySelector<HTMLElement>(`[data-section="${section}"] h2`);

function sectionInView(place: HTMLElement, sections: readonly ClientSection[]): ClientSection | undefined {
  const { top, bottom } = place.getBoundingClientRect();
  const from = Math.max(top, 0);
  const line = from + (Math.min(bottom, window.innerHeight) - from) * part;
  return sections.findLast((section) => {
    const heading = headingOf(place, section);
    return heading && heading.getBoundingClientRect().top <= line;
  });
}
