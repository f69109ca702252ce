import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';

/** Where the focus goes when what had it is gone from the page. */
export function focusPageTitle(): void {
  document.querySelector<HTMLElement>('h1')?.focus();
}

/** The one h1 of a page. Coming from another page it takes the focus, so that a screen reader hears where it is now. */
export function PageTitle({ children, className }: { children: ReactNode; className?: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { key } = useLocation();
  useEffect(() => {
    // 'default' is the address the browser itself loaded: there the browser decides about the focus.
    if (key !== 'default') heading.current?.focus();
  }, [key]);
  return (
    <h1 ref={heading} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}
