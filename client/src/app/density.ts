/** `user`: sign-in, flows and the patient area, made for a thumb. `admin`: denser, made for a desk. */
export type Density = 'user' | 'admin';

/** The class of elements that have the theme's variables. */
export const themeClass = (density: Density) => `gatehouse-${density}`;
