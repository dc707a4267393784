package io.feedbridge.gateway.store.sql.commit;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The writes that wait for the writer, in two lanes, so that outcomes hold up no caller: outcomes
 * come thousands at a time, as fast as origins and subscribers answer, while a caller waits for
 * each prompt write (a ping for its acknowledgement, for example). Each lane has a bound of its
 * own, so neither takes the room of the other. A batch takes prompt writes first, and always some
 * patient writes too.
 *
 * <p>Any thread may add; one thread takes.
 */
public final class WriteQueue<W> {

  /** The lane of a write, by the caller that waits for it. */
  public enum Lane {
    /** A request from outside waits for the write, or a stage that continues only after it. */
    PROMPT,
    /** Outcomes of fetches and deliveries, which are many and not urgent. */
    PATIENT
  }

  /**
   * This part of a batch (one quarter) is for patient writes even if prompt writes would fill it.
   */
  private static final int PATIENT_PART = 4;

  /**
   * While patient writes come several at a time, they wait so long from one batch to the next: most
   * statements and pages of a commit are the same for one write as for many. A write that comes
   * alone does not wait, and a prompt write ends the wait of all.
   */
  static final Duration PACE = Duration.ofMillis(20);

  private final Duration pace;
  private final BlockingQueue<W> prompt;
  private final BlockingQueue<W> patient;

  /** At least one permit for each waiting write; a surplus permit only makes the writer look. */
  private final Semaphore news = new Semaphore(0);

  /** Permits for prompt writes, likewise. */
  private final Semaphore promptNews = new Semaphore(0);

  // When the last batch was taken, in nanoseconds, and whether it had several writes; only the
  // writer touches them.
  private long takenAt;
  private boolean isShared;

  /**
   * An empty queue.
   *
   * @param most writes that may wait in each lane
   * @param pace see {@link #PACE}
   */
  WriteQueue(int most, Duration pace) {
    this.pace = pace;
    prompt = new ArrayBlockingQueue<>(most);
    patient = new ArrayBlockingQueue<>(most);
  }

  /** Adds a write; false if its lane is full. Never blocks. */
  boolean offer(W write, Lane lane) {
    boolean taken = lane(lane).offer(write);
    news.release();
    if (lane == Lane.PROMPT) {
      promptNews.release();
    }
    return taken;
  }

  /** Takes a write back; false if it no longer waits. */
  boolean remove(W write, Lane lane) {
    return lane(lane).remove(write);
  }

  boolean isEmpty() {
    return prompt.isEmpty() && patient.isEmpty();
  }

  /**
   * Waits for a write and moves up to {@code most} writes into the batch, which may stay empty. See
   * {@link #PACE} for how long patient writes wait for others.
   *
   * @throws InterruptedException if the thread was interrupted while it waited
   */
  void take(List<W> batch, int most) throws InterruptedException {
    news.acquire();
    promptNews.drainPermits();
    if (isShared && prompt.isEmpty() && patient.size() < most) {
      awaitPrompt(takenAt + pace.toNanos() - System.nanoTime());
    }
    prompt.drainTo(batch, most - Math.min(patient.size(), most / PATIENT_PART));
    patient.drainTo(batch, most - batch.size());
    prompt.drainTo(batch, most - batch.size());
    // One permit fewer than the taken writes is acquired here, since one was acquired above.
    var unused = !batch.isEmpty() && news.tryAcquire(batch.size() - 1);
    takenAt = System.nanoTime();
    isShared = batch.size() > 1;
  }

  private void awaitPrompt(long nanos) throws InterruptedException {
    try {
      var unused = promptNews.tryAcquire(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      // The writes that wait are still to be taken.
      news.release();
      throw e;
    }
  }

  private BlockingQueue<W> lane(Lane lane) {
    return lane == Lane.PROMPT ? prompt : patient;
  }
}
