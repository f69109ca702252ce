import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';

/** Acts if the element that had the focus leaves the page; what closes is still there until the next frame. */
export function whenFocusIsLost(act: () => void): void {
  requestAnimationFrame(() => {
    const focused = document.activeElement;
    if (!focused || focused === document.body || focused.getClientRects().length === 0) act();
  });
}

/** Moves the focus to the title when the focused element has left the page. */
export function focusPageTitle(): void {
  document.querySelector<HTMLElement>('h1')?.focus();
}

/**
 * Moves the focus to the title once `shown` is true and the content that it replaces has taken the focused element
 * along.
 */
export function useFocusOnTitle(shown: boolean): void {
  useEffect(() => {
    if (shown) whenFocusIsLost(focusPageTitle);
  }, [shown]);
}

/** The address of the last title that was shown. */
let lastPath: string | undefined;

/**
 * The one h1 of a page. After a navigation it takes the focus, so that a screen reader announces the new page; on the
 * first page since the document was loaded, also after a reload, the browser decides. A list that changes its content
 * stays the same page.
 */
export function PageTitle({ children, className }: { children: ReactNode; className?: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  // Before the title is painted: later it would take the focus from a control that the user has already moved to.
  useLayoutEffect(() => {
    if (lastPath !== undefined && lastPath !== pathname) heading.current?.focus();
    lastPath = pathname;
  }, [pathname]);
  return (
    <h1 ref={heading} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}
