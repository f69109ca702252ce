/** The distance of the lines of a chart: the least round number with which `lines` of them reach the highest value. */
export function axisStep(highest: number, lines: number): number {
  for (let power = 1; ; power *= 10) {
    const step = [1, 2, 3, 5].map((digit) => digit * power).find((one) => one * lines >= highest);
    if (step !== undefined) return step;
  }
}
