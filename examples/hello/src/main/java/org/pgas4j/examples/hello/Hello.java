package org.pgas4j.examples.hello;

import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.Rank;
import org.pgas4j.SharedInts;

/** Each rank puts its number into the segment of the rank after it. */
public final class Hello {

    private Hello() {
    }

    public static void main(String[] args) {
        Pgas.run(args, rank -> System.out.printf("rank %d of %d has a number from rank %d%n", rank.rank(), rank.ranks(), exchange(rank)));
    }

    static int exchange(Rank rank) {
        SharedInts numbers = rank.allAllocInts(Layout.cyclic(), rank.ranks());   // one number in the segment of each rank
        numbers.put((rank.rank() + 1) % rank.ranks(), rank.rank());                // the neighbour takes no part
        rank.barrier();                                                            // all numbers are there
        return numbers.get(rank.rank());
    }
}
